/* SPDX-License-Identifier: MIT */
#include "budget/check_escape.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define FFFD "\xef\xbf\xbd"

static char written[20000];
static size_t written_bytes;

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    memcpy(written + written_bytes, bytes, byte_count);
    written_bytes += byte_count;
}

static const char *escaped(enum ca_syntax syntax, const char *text) {
    struct ca_out out;
    written_bytes = 0;
    ca_out_init(&out, keep, NULL);
    ca_escape(&out, syntax, text);
    ca_out_flush(&out);
    written[written_bytes] = '\0';
    return written;
}

static const char *word(const char *text) {
    struct ca_out out;
    written_bytes = 0;
    ca_out_init(&out, keep, NULL);
    ca_escape_word(&out, text);
    ca_out_flush(&out);
    written[written_bytes] = '\0';
    return written;
}

Test(check_escape, each_syntax_has_its_own) {
    cr_assert_str_eq(escaped(CA_SYNTAX_TERMINAL, "a\033[1m\n\xc2\x9b\xff\xc3\xa9"),
                     "a" FFFD "[1m" FFFD FFFD FFFD "\xc3\xa9");
    cr_assert_str_eq(escaped(CA_SYNTAX_XML, "<a b=\"c\">&]]>\n\x01\xef\xbf\xbf\xed\xa0\x80"),
                     "&lt;a b=&quot;c&quot;&gt;&amp;]]&gt;&#10;" FFFD FFFD FFFD FFFD FFFD);
    cr_assert_str_eq(escaped(CA_SYNTAX_GITHUB, "100%\r\n::a,b"), "100%25%0D%0A::a,b");
    cr_assert_str_eq(escaped(CA_SYNTAX_GITHUB_PROPERTY, "100%\r\n::a,b"),
                     "100%25%0D%0A%3A%3Aa%2Cb");
    cr_assert_str_eq(escaped(CA_SYNTAX_MARKDOWN, "a|b_c*`<i>&\n@me[x](y)\\"),
                     "a\\|b\\_c\\*\\`&lt;i&gt;&amp; &#64;me\\[x\\](y)\\\\");
}

Test(check_escape, words_read_as_they_were) {
    cr_assert_str_eq(word("./logstat-v4"), "./logstat-v4");
    cr_assert_str_eq(word("a b"), "'a b'");
    cr_assert_str_eq(word("it's"), "'it'\\''s'");
    cr_assert_str_eq(word(""), "''");
    cr_assert_str_eq(word("$HOME`x`"), "'$HOME`x`'");
    cr_assert_str_eq(word("a\n'\\b"), "$'a\\012\\'\\\\b'");
}

Test(check_escape, text_becomes_utf8) {
    char *text = ca_utf8_of("a\xff\xc3\xa9\xe2\x82");
    cr_assert_str_eq(text, "a" FFFD "\xc3\xa9" FFFD);
    free(text);
}
