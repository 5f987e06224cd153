/* SPDX-License-Identifier: MIT */
#include "bench_inputs.h"

void ca_input_sql(FILE *file, long row_count) {
    fputs("create table t(id integer primary key, name text, note text, share real);\n"
          "create index t_name on t(name);\nbegin;\n",
          file);
    for (long i = 0; i < row_count; i++)
        fprintf(file, "insert into t values(%ld, 'user%ld', 'a note about %ld', %ld.5);\n", i,
                i * 7919 % 100003, i, i % 97);
    fputs("commit;\nselect count(*), sum(share), count(distinct name) from t;\n", file);
}

void ca_input_json(FILE *file, long object_count) {
    fputc('[', file);
    for (long i = 0; i < object_count; i++)
        fprintf(file, "%s{\"k\":\"key%ld\",\"v\":%ld,\"tags\":[\"a\",\"b%ld\"]}\n",
                i == 0 ? "" : ",", i * 7919 % 1009, i, i % 13);
    fputs("]\n", file);
}

void ca_input_source(FILE *file, long function_count) {
    fputs("struct node { struct node *next; long value; char name[16]; };\n", file);
    for (long i = 0; i < function_count; i++)
        fprintf(
            file,
            "long f%ld(struct node *list, long limit) {\n"
            "    long sum = %ld;\n"
            "    for (struct node *at = list; at; at = at->next) {\n"
            "        if (at->value > limit) sum += at->value * %ld; else sum ^= at->value << %ld;\n"
            "        switch (at->name[%ld]) { case 'a': sum += 3; break; case 'b': sum -= limit; "
            "break;"
            " default: sum += at->name[0]; }\n"
            "    }\n"
            "    return sum%s;\n"
            "}\n",
            i, i, i % 13 + 1, i % 7, i % 16, "");
}
