/* SPDX-License-Identifier: MIT
 *
 * Allocation assertions in Criterion tests. */
#include <countalloc/criterion.h>
#include <stdlib.h>
#include <string.h>

/* What is tested: the words of a line, copied or in place. */
static char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = (char *)malloc(size);
    return copy != NULL ? (char *)memcpy(copy, text, size) : NULL;
}

static size_t count_words(const char *line) {
    size_t count = 0;
    while (*(line += strspn(line, " ")) != '\0') {
        line += strcspn(line, " ");
        count++;
    }
    return count;
}

static char **split(const char *line) {
    size_t count = 0;
    char **words = (char **)calloc(count_words(line) + 1, sizeof *words);
    while (words != NULL && *(line += strspn(line, " ")) != '\0') {
        size_t length = strcspn(line, " ");
        char *word = copy_of(line);
        if (word != NULL)
            word[length] = '\0';
        words[count++] = word;
        line += length;
    }
    return words;
}

static void free_words(char **words) {
    for (size_t i = 0; words[i] != NULL; i++)
        free(words[i]);
    free((void *)words);
}

Test(words, are_counted_without_memory) {
    size_t count = 0;
    cr_assert_no_alloc {
        count = count_words("the quick  brown fox");
    }
    cr_assert_eq(count, 4);
}

Test(words, are_split_with_one_allocation_each_and_one_for_the_list) {
    char **words = NULL;
    cr_assert_allocs(le, 5, "split") {
        words = split("the quick  brown fox");
    }
    cr_assert_str_eq(words[3], "fox");
    free_words(words);
}

Test(words, are_freed_with_their_list) {
    cr_assert_no_leak {
        free_words(split("the quick  brown fox"));
    }
}

Test(words, of_an_empty_line_need_the_list_alone) {
    char **words = NULL;
    cr_expect_allocs(eq, 1) {
        words = split("");
    }
    cr_expect_null(words[0]);
    free_words(words);
}
