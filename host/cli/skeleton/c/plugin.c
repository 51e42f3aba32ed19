/* SKELETON is a check evaluator for ox-mcp. It takes the last column of a check
 * for a text, and drops the rows whose digits add up to a multiple of ten. */

#define OX_NAME "SKELETON"
#define OX_VERSION "0.1.0"
#include "ox.h"

static uint32_t digit_sum(struct ox_bytes text) {
    uint32_t sum = 0;
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] >= '0' && text.at[i] <= '9') sum += text.at[i] - '0';
    return sum;
}

static struct ox_bytes ox_decide(const struct ox_request *q, struct ox_verdict *verdicts) {
    for (uint32_t row = 0; row < q->frame.rows; row++) {
        struct ox_bytes text = ox_cell(&q->frame, row, q->frame.columns - 1).text;
        uint32_t sum = digit_sum(text);
        if (sum % 10 == 0) {
            verdicts[row] = (struct ox_verdict){.drop = true};
            continue;
        }
        struct ox_writer message = {0};
        ox_put(&message, OX_TEXT("the digits of "));
        ox_put(&message, text);
        ox_put(&message, OX_TEXT(" add up to "));
        ox_put_decimal(&message, sum, 1);
        verdicts[row] = (struct ox_verdict){.severity = OX_ERROR, .code = OX_TEXT("SUM"), .message = ox_written(&message)};
    }
    return OX_TEXT("");
}
