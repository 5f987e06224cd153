/* SPDX-License-Identifier: MIT
 *
 * Allocation assertions in a plain test program: status 0 passed, 77 skipped, else failed. */
#include <countalloc/assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What is tested: a list of numbers that doubles. */
struct list {
    int *numbers;
    size_t count;
    size_t capacity;
};

static bool list_add(struct list *list, int number) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
        int *numbers = (int *)realloc(list->numbers, capacity * sizeof *numbers);
        if (numbers == NULL)
            return false;
        list->numbers = numbers;
        list->capacity = capacity;
    }
    list->numbers[list->count++] = number;
    return true;
}

static void list_release(struct list *list) {
    free(list->numbers);
    memset(list, 0, sizeof *list);
}

static void adding_within_the_capacity_needs_no_memory(void) {
    struct list list = {0};
    list_add(&list, 1);
    countalloc_assert_no_alloc {
        list_add(&list, 2);
        list_add(&list, 3);
        list_add(&list, 4);
    }
    list_release(&list);
}

static void a_thousand_numbers_need_nine_allocations(void) {
    struct list list = {0};
    countalloc_assert_allocs(==, 9, "list_add") {
        for (int i = 0; i < 1000; i++)
            list_add(&list, i);
    }
    list_release(&list);
}

static void a_released_list_leaves_nothing_behind(void) {
    countalloc_assert_no_leak {
        struct list list = {0};
        for (int i = 0; i < 1000; i++)
            list_add(&list, i);
        list_release(&list);
    }
}

int main(void) {
    int status = countalloc_skip_status();
    if (status != 0)
        return status;
    adding_within_the_capacity_needs_no_memory();
    a_thousand_numbers_need_nine_allocations();
    a_released_list_leaves_nothing_behind();
    return 0;
}
