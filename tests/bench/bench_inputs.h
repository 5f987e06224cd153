/* SPDX-License-Identifier: MIT
 *
 * What the real programs are given: the same bytes for the same amount. */
#ifndef CA_BENCH_INPUTS_H
#define CA_BENCH_INPUTS_H

#include <stdio.h>

void ca_input_sql(FILE *file, long row_count);         /* for sqlite3: a statement for each row */
void ca_input_json(FILE *file, long object_count);     /* for jq: an array of objects */
void ca_input_source(FILE *file, long function_count); /* for cc1: C */

/* Programs for `-c` and `-e`, which take their amount as the argument. */
#define CA_PYTHON_JSON                                                                             \
    "import json, sys\n"                                                                           \
    "rows = [{'id': i, 'name': 'user%d' % i, 'tags': ['a', 'b', str(i)], 'share': i / 7}"          \
    " for i in range(1000)]\n"                                                                     \
    "for turn in range(int(sys.argv[1])):\n"                                                       \
    "    rows = json.loads(json.dumps(rows))\n"
#define CA_PERL_HASHES                                                                             \
    "my %seen; for my $i (1 .. $ARGV[0]) { my $key = 'k' . ($i * 7919 % 60013);"                   \
    " push @{$seen{$key}}, \"v$i\"; delete $seen{'k' . ($i * 31 % 60013)} if $i % 3 == 0; }"       \
    " print scalar(keys %seen), \"\\n\";"

#endif
