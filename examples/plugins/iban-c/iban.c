/* iban checks account numbers by their two check digits, as ISO 13616 and
 * ISO 7064 MOD 97-10 have them. */

#define OX_NAME "iban"
#define OX_VERSION "0.1.0"
#include "ox.h"
#include "facts.h"

enum { MODULUS = 97, FORM = 5 /* characters that a number has at least */ };

/* What one country's numbers look like. */
struct scheme {
    struct ox_bytes country;
    int64_t length;
    struct scheme *next;
};

static struct ox_bytes read_schemes(struct scheme **list) {
    struct ox_page page = {0};
    do {
        struct ox_bytes refusal = ox_next_page(OX_TEXT("length_of"), &page);
        if (refusal.size > 0) {
            struct ox_writer w = {0};
            ox_put(&w, OX_TEXT("the facts of length_of: "));
            ox_put(&w, refusal);
            return ox_written(&w);
        }
        for (uint32_t row = 0; row < page.frame.rows; row++) {
            struct scheme *s = ox_alloc(sizeof *s);
            *s = (struct scheme){ox_cell(&page.frame, row, 0).text, ox_cell(&page.frame, row, 1).number, *list};
            *list = s;
        }
    } while (page.count > 0);
    return OX_TEXT("");
}

static const struct scheme *scheme_of(const struct scheme *list, struct ox_bytes country) {
    while (list != NULL && !ox_equal(list->country, country)) list = list->next;
    return list;
}

static struct ox_bytes without_spaces(struct ox_bytes text) {
    struct ox_writer w = {0};
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] != ' ') ox_put_byte(&w, text.at[i]);
    return ox_written(&w);
}

static bool is_letter(uint8_t c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static bool well_formed(struct ox_bytes number) {
    if (number.size < FORM) return false;
    for (size_t i = 0; i < number.size; i++) {
        uint8_t c = number.at[i];
        if (i < 2 ? !is_letter(c) : i < 4 ? !is_digit(c) : !is_letter(c) && !is_digit(c)) return false;
    }
    return true;
}

/* Reads letters as the numbers from 10 to 35. */
static uint32_t remainder_with(uint32_t rest, uint8_t c) {
    return is_letter(c) ? (rest * 100 + c - 'A' + 10) % MODULUS : (rest * 10 + c - '0') % MODULUS;
}

static uint32_t check_digits(struct ox_bytes number) {
    uint32_t rest = 0;
    for (size_t i = 4; i < number.size; i++) rest = remainder_with(rest, number.at[i]);
    for (size_t i = 0; i < 2; i++) rest = remainder_with(rest, number.at[i]);
    return MODULUS + 1 - rest * 100 % MODULUS; /* zeros stand for them */
}

static struct ox_verdict judge(struct ox_value v, const struct scheme *schemes) {
    struct ox_verdict out = {.severity = OX_ERROR, .code = OX_TEXT("IBAN-FORM"), .message = OX_TEXT("there is no number")};
    if (v.kind != OX_IS_TEXT) return out;
    struct ox_bytes number = without_spaces(v.text);
    struct ox_writer w = {0};
    if (!well_formed(number)) {
        ox_put(&w, OX_TEXT("\""));
        ox_put(&w, number);
        ox_put(&w, OX_TEXT("\" is not two letters, two digits, and letters and digits behind them"));
        out.message = ox_written(&w);
        return out;
    }
    struct ox_bytes country = {number.at, 2};
    const struct scheme *scheme = scheme_of(schemes, country);
    if (scheme == NULL) {
        out.severity = OX_WARNING;
        out.code = OX_TEXT("IBAN-COUNTRY");
        ox_put(&w, OX_TEXT("no scheme says how the numbers of "));
        ox_put(&w, country);
        ox_put(&w, OX_TEXT(" are made"));
        out.message = ox_written(&w);
        return out;
    }
    if ((int64_t)number.size != scheme->length) {
        out.code = OX_TEXT("IBAN-LENGTH");
        ox_put(&w, number);
        ox_put(&w, OX_TEXT(" has "));
        ox_put_decimal(&w, number.size, 1);
        ox_put(&w, OX_TEXT(" characters, and those of "));
        ox_put(&w, country);
        ox_put(&w, OX_TEXT(" have "));
        ox_put_decimal(&w, (uint64_t)scheme->length, 1);
        out.message = ox_written(&w);
        return out;
    }
    uint32_t have = (uint32_t)(number.at[2] - '0') * 10 + number.at[3] - '0', want = check_digits(number);
    if (have == want) return (struct ox_verdict){.drop = true};
    out.code = OX_TEXT("IBAN-DIGITS");
    ox_put(&w, number);
    ox_put(&w, OX_TEXT(" does not add up: its check digits are "));
    ox_put_decimal(&w, have, 2);
    ox_put(&w, OX_TEXT(", and "));
    ox_put_decimal(&w, want, 2);
    ox_put(&w, OX_TEXT(" would fit"));
    out.message = ox_written(&w);
    return out;
}

/* The last column of the check is taken for the numbers. */
static struct ox_bytes ox_decide(const struct ox_request *q, struct ox_verdict *verdicts) {
    struct scheme *schemes = NULL;
    struct ox_bytes refusal = read_schemes(&schemes);
    if (refusal.size > 0) return refusal;
    for (uint32_t row = 0; row < q->frame.rows; row++)
        verdicts[row] = judge(ox_cell(&q->frame, row, q->frame.columns - 1), schemes);
    return OX_TEXT("");
}
