/* Further facts, by ox:plugin/facts: tuples of the relations that the check's
 * body names. The operator grants it. */
#ifndef OX_FACTS_H
#define OX_FACTS_H

#include "ox.h"

/* The host calls cabi_realloc before it returns. */
__attribute__((import_module("ox:plugin/facts@0.1.0"), import_name("scan")))
void ox_scan(const uint8_t *request, size_t size, uint32_t *area);

/* A page of a relation, and how the next one begins: count values, one behind
 * the other. No value: there is no next page. */
struct ox_page {
    struct ox_frame frame;
    size_t count;
    struct ox_bytes after;
};

/* Reads the page behind the one in *page, which is all zero at first. A text
 * of some bytes is the host's refusal. */
static inline struct ox_bytes ox_next_page(struct ox_bytes relation, struct ox_page *page) {
    struct ox_writer w = {0};
    ox_put_head(&w, OX_ARRAY, 3); /* [relation, match, [limit, after]] */
    ox_put_text(&w, relation);
    ox_put_head(&w, OX_ARRAY, 0);
    ox_put_head(&w, OX_ARRAY, 2);
    ox_put_head(&w, OX_UINT, 0);
    ox_put_head(&w, OX_ARRAY, (uint32_t)page->count);
    ox_put(&w, page->after);

    uint32_t area[3];
    ox_scan(w.at, w.size, area);
    const uint8_t *at = (const uint8_t *)(uintptr_t)area[1];
    struct ox_reader r = {at, at + area[2]};
    if ((area[0] & 0xff) != 0) { /* the discriminant is one byte */
        ox_fields(&r, 5);
        ox_skip(&r);
        return ox_cut(&r, OX_STRING);
    }
    ox_fields(&r, 3); /* [columns, frame, next] */
    ox_skip(&r);
    page->frame = ox_frame(&r);
    page->count = ox_length(&r, OX_ARRAY);
    page->after = (struct ox_bytes){r.at, (size_t)(r.end - r.at)};
    return OX_TEXT("");
}

#endif
