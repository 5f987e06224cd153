/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drawn_svg.h"
#include "flame/flame_color.h"
#include "flame/flame_number.h"
#include "flame/xml_text.h"

static char text[CA_FLAME_NUMBER_SIZE];

static void expect_escaped(const char *bytes, size_t byte_count, const char *expected) {
    struct ca_byte_buffer escaped = {0};
    struct ca_out out;
    ca_out_init(&out, drawn_collect, &escaped);
    ca_xml_write(&out, bytes, byte_count);
    ca_out_flush(&out);
    drawn_collect(&escaped, "", 1);
    cr_assert_str_eq(escaped.bytes, expected);
    ca_byte_buffer_release(&escaped);
}

Test(flame_text, markup_is_escaped) {
    expect_escaped("<a href=\"x\">&'", 14, "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    expect_escaped("]]>", 3, "]]&gt;");
}

Test(flame_text, what_is_not_utf_8_is_replaced_byte_by_byte) {
    expect_escaped("\xc3\xa4\xff\xc3", 4, "\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd");
    expect_escaped("\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    expect_escaped("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* surrogate */
    expect_escaped("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_escaped("\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd"); /* cut */
    expect_escaped("\xf0\x9f\x94\xa5", 4, "\xf0\x9f\x94\xa5");
}

Test(flame_text, what_xml_cannot_say_is_replaced) {
    expect_escaped("a\0b\x1b\x7f\n", 6,
                   "a\xef\xbf\xbd"
                   "b\xef\xbf\xbd\xef\xbf\xbd\n");
    expect_escaped("\xef\xbf\xbe", 3, "\xef\xbf\xbd"); /* U+FFFE */
}

Test(flame_text, columns_are_counted_by_characters) {
    cr_assert_eq(ca_xml_columns("main", 4), 4);
    cr_assert_eq(ca_xml_columns("\xc3\xa4\xe7\x81\xab", 5), 3);
    cr_assert_eq(ca_xml_fitting("\xc3\xa4\xe7\x81\xab", 5, 2), 2);
    cr_assert_eq(ca_xml_fitting("\xc3\xa4\xe7\x81\xab", 5, 3), 5);
    cr_assert_eq(ca_xml_fitting("abc", 3, 0), 0);
}

Test(flame_text, rates_are_exact_where_six_places_do) {
    char rate[CA_FLAME_NUMBER_SIZE];
    cr_assert_str_eq(ca_flame_rate(21508583, 1000000, rate), "21.508583");
    cr_assert_str_eq(ca_flame_rate(21508583, 1000, rate), "21,508.583");
    cr_assert_str_eq(ca_flame_rate(3, 64, rate), "0.046875");
    cr_assert_str_eq(ca_flame_rate(1, 3, rate), "0.333");
    cr_assert_str_eq(ca_flame_rate(2, 3, rate), "0.667");
    cr_assert_str_eq(ca_flame_rate(1, 3000000, rate), "<0.001");
    cr_assert_str_eq(ca_flame_rate(0, 3, rate), "0");
    cr_assert_str_eq(ca_flame_rate(UINT64_MAX, 1, rate), "18,446,744,073,709,551,615.000");
    cr_assert_str_eq(ca_flame_rate(5, 0, rate), "");
}

Test(flame_text, numbers_have_separators) {
    cr_assert_str_eq(ca_flame_number(0, text), "0");
    cr_assert_str_eq(ca_flame_number(999, text), "999");
    cr_assert_str_eq(ca_flame_number(1000, text), "1,000");
    cr_assert_str_eq(ca_flame_number(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

Test(flame_text, a_share_is_100_percent_only_when_it_is_all) {
    cr_assert_str_eq(ca_flame_percent(1, 3, text), "33.33%");
    cr_assert_str_eq(ca_flame_percent(3, 3, text), "100%");
    cr_assert_str_eq(ca_flame_percent(999999, 1000000, text), "99.99%");
    cr_assert_str_eq(ca_flame_percent(1, 1000000, text), "<0.01%");
    cr_assert_str_eq(ca_flame_percent(0, 3, text), "0.00%");
}

Test(flame_text, changes_have_a_sign) {
    cr_assert_str_eq(ca_flame_change(1000, 2234, text), "+1,234 (+123.4%)");
    cr_assert_str_eq(ca_flame_change(7, 0, text), "-7 (-100.0%)");
    cr_assert_str_eq(ca_flame_change(0, 5, text), "+5 (new)");
    cr_assert_str_eq(ca_flame_change(5, 5, text), "no change");
    cr_assert_str_eq(ca_flame_change(1, UINT64_MAX, text),
                     "+18,446,744,073,709,551,614 (+1844674407370955161600.0%)");
}

Test(flame_text, one_is_singular) {
    cr_assert_eq(ca_flame_unit_length("samples", 1), 6);
    cr_assert_eq(ca_flame_unit_length("samples", 2), 7);
    cr_assert_eq(ca_flame_unit_length("mass", 1), 4);
}

static double luminance(struct ca_color color) {
    double parts[] = {color.red, color.green, color.blue}, weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double part = parts[i] / 255;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* WCAG 2.1, against the text's #1c1917. */
static void expect_legible(struct ca_color color) {
    double ink = luminance((struct ca_color){0x1c, 0x19, 0x17});
    double contrast = (luminance(color) + 0.05) / (ink + 0.05);
    cr_assert(contrast >= 5.5, "#%02x%02x%02x: %f", color.red, color.green, color.blue, contrast);
}

Test(flame_text, every_colour_can_be_written_on) {
    for (unsigned i = 0; i < 5000; i++) {
        char name[32];
        size_t length = (size_t)snprintf(name, sizeof name, "function_%u", i);
        expect_legible(ca_color_of_name(name, length));
        length = (size_t)snprintf(name, sizeof name, "[%u]", i);
        expect_legible(ca_color_of_name(name, length));
        length = (size_t)snprintf(name, sizeof name, "f%u_[k]", i);
        expect_legible(ca_color_of_name(name, length));
        expect_legible(ca_color_of_change(5000, i, 5000));
        expect_legible(ca_color_of_change(i, 5000, 5000));
    }
}

Test(flame_text, a_name_always_has_the_same_colour) {
    struct ca_color color = ca_color_of_name("main", 4);
    char shown[8];
    snprintf(shown, sizeof shown, "%02x%02x%02x", color.red, color.green, color.blue);
    cr_assert_str_eq(shown, MAIN_COLOR);
}

Test(flame_text, more_is_red_and_less_is_blue) {
    struct ca_color more = ca_color_of_change(1, 9, 8), less = ca_color_of_change(9, 1, 8);
    struct ca_color same = ca_color_of_change(5, 5, 8);
    cr_assert(more.red > more.blue + 100);
    cr_assert(less.blue > less.red + 100);
    cr_assert(same.red - same.blue < 8);
}
