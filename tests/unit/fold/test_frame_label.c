/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "fold/demangle.h"
#include "fold/frame_label.h"

static void expect_label(const char *name, const char *expected) {
    struct ca_byte_buffer label = {0};
    cr_assert(ca_frame_label(&label, name, strlen(name)));
    cr_assert(ca_byte_buffer_add(&label, "", 1));
    cr_assert_str_eq(label.bytes, expected);
    ca_byte_buffer_release(&label);
}

static void expect_label_of_file(const char *path, const char *expected) {
    struct ca_byte_buffer label = {0};
    cr_assert(ca_frame_label_of_file(&label, path, strlen(path)));
    cr_assert(ca_byte_buffer_add(&label, "", 1));
    cr_assert_str_eq(label.bytes, expected);
    ca_byte_buffer_release(&label);
}

Test(frame_label, semicolons_become_colons_and_control_bytes_blanks) {
    expect_label("Ljava/io/Reader;::read", "Ljava/io/Reader:::read");
    expect_label("a\tb\x01"
                 "c",
                 "a b c");
    expect_label("  main \r", "main");
}

Test(frame_label, a_number_at_the_end_is_tied_to_the_name) {
    expect_label("version 12", "version_12");
    expect_label("version 1.5", "version_1.5");
    expect_label("version12", "version12");
    expect_label("12", "12");
}

Test(frame_label, nothing_is_unknown) {
    expect_label("", "[unknown]");
    expect_label(" \t", "[unknown]");
}

Test(frame_label, half_demangled_rust_names_are_completed) {
    expect_label("std::rt::lang_start::_$u7b$$u7b$closure$u7d$$u7d$::h7cd9ec399e9db3f7",
                 "std::rt::lang_start::{{closure}}");
    expect_label("_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..Index$GT$::index::"
                 "h0123456789abcdef",
                 "<alloc::vec::Vec<T,A> as core::ops::Index>::index");
    expect_label("core::fmt::write::h0123456789abcdef (.llvm.7886897009887049720)",
                 "core::fmt::write");
    expect_label("a::h0123456789abcdeg", "a::h0123456789abcdeg");
    expect_label("cost_in_$LT$", "cost_in_$LT$");
}

Test(frame_label, mangled_names_of_cpp_are_demangled) {
    char *name = ca_demangle("_Z1fv", 5);
    bool is_missing = name == NULL && !ca_demangle_is_available();
    free(name);
    if (is_missing)
        cr_skip_test("built without a demangler");
    expect_label("_ZN3foo3barEi", "foo::bar(int)");
    expect_label("__ZN3foo3barEi", "foo::bar(int)");
    expect_label("__Znwm", "operator new(unsigned long)");
}

Test(frame_label, mangled_names_are_demangled) {
    if (!ca_demangle_is_available())
        cr_skip_test("built without libiberty");
    expect_label("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
    expect_label("_RNvC6_123foo3bar", "123foo::bar");
    expect_label("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
    expect_label("_Z", "_Z");
    expect_label("_Rest_of_it", "_Rest_of_it");
    expect_label("main", "main");
}

Test(frame_label, names_that_are_too_long_to_demangle_stay) {
    static char name[CA_DEMANGLE_LENGTH_MAX + 2];
    memset(name, 'i', sizeof name - 1);
    memcpy(name, "_Z1f", 4);
    expect_label(name, name);
}

Test(frame_label, a_function_without_a_name_is_called_by_its_file) {
    expect_label_of_file("/usr/lib/libc.so.6", "[libc.so.6]");
    expect_label_of_file("Probe App", "[Probe App]");
    expect_label_of_file("[vdso]", "[vdso]");
    expect_label_of_file("[unknown]", "[unknown]");
    expect_label_of_file("<unknown binary>", "[unknown]");
    expect_label_of_file("", "[unknown]");
    expect_label_of_file("/tmp/", "[unknown]");
    expect_label_of_file("/a;b/c;d", "[c:d]");
}

Test(frame_label, a_thread_has_no_blanks) {
    struct ca_byte_buffer label = {0};
    cr_assert(ca_frame_label_of_thread(&label, "V8 Worker 1", 11));
    cr_assert(ca_byte_buffer_add(&label, "", 1));
    cr_assert_str_eq(label.bytes, "V8_Worker_1");
    ca_byte_buffer_release(&label);
}
