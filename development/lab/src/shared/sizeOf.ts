/** SQL for the bytes of the table `name`, with its partitions. */
export const sizeOf = (what: "pg_table_size" | "pg_indexes_size") =>
  `coalesce((select sum(${what}(relid)) from pg_partition_tree(name::regclass)), ${what}(name::regclass))`
