import { openPool, type Sql } from "@sitewire/database"

const batch = 100_000
const lanes = 2
/** With these settings, neither checkpoints nor commits wait for the disk, and indexes are sorted in memory. */
const settings = ["max_wal_size = '16GB'", "synchronous_commit = off", "maintenance_work_mem = '512MB'"]
/** The times in the rows' ids are spread over this many days, and so over 30 days of the calendar: as long as deliveries are retained. */
const days = 29
/** How many references and sites there are. */
const customers = 100_000

/** As `searchKeys` makes them: the first bytes of the id, and of a digest. */
const searchKey = (text: string) =>
  `substring(uuid_send(id) for 3) || substring(sha256(convert_to(${text}, 'UTF8')) for 12)`

const statement = `
with made as (
  insert into delivery (id, event_id, channel_id, body, body_sha256, state, attempts, correlation, created_at, finished_at,
                        reference_key, site_key)
  select id, gen_random_uuid()::text, 'bench-' || at % $3, body, sha256(body), 'delivered', 1,
         gen_random_uuid()::text, now() + age, now() + age, ${searchKey("'customer-' || customer")},
         ${searchKey("'shop-' || customer || '.sites.example:'")}
    from (select at, customer, age, uuidv7(age) as id,
                 convert_to(json_build_object('id', at, 'reference', 'customer-' || customer,
                   'site_url', 'https://shop-' || customer || '.sites.example',
                   'console_url', 'https://console.sites.example/shop-' || customer, 'name', 'Shop number ' || customer,
                   'email', 'owner-' || customer || '@customer.example',
                   'created_at', '2030-01-02T03:04:05+00:00')::text, 'UTF8') as body
            from generate_series($1::int, least($1 + ${batch}, $2::int) - 1) as at
           cross join lateral (select at % ${customers} as customer,
                                      interval '${days} days' * (at::float8 / $2 - 1) as age) as derived) as event
  returning id, event_id, created_at
), known as (
  insert into known_event (event_id, delivery_id) select event_id, id from made
)
insert into attempt (delivery_id, number, started_at, duration_ms, ip, status, secret_id)
select id, 1, created_at, 2.5, '127.0.0.1', 204, 'sec_bench' from made`

/**
 * Stores `count` delivered deliveries of `channels` channels. Indexes are dropped, and built again afterwards, which
 * is faster. Then the tables are vacuumed, so that no autovacuum runs during a measurement. Needs PostgreSQL 18.
 */
export async function fillDeliveries(
  url: string,
  count: number,
  channels: number,
  progress: (line: string) => void,
): Promise<void> {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(0)
  const pool = openPool({ url, size: lanes, name: "bench-fill", statementTimeoutMs: 1_800_000 })
  const { sql } = pool
  for (const setting of settings) await sql(`alter system set ${setting}`)
  await sql("select pg_reload_conf()")
  await sql("select make_days(current_date - $1::int, current_date + 1)", [days + 1])
  const stored = await partitionsOf(sql)
  for (const table of stored) await sql(`alter table ${table} set (autovacuum_enabled = off)`)
  const indexes = await secondaryIndexes(sql)
  for (const { name } of indexes) await sql(`drop index ${name}`)
  let next = 0
  const fill = async () => {
    while (next < count) {
      const from = next
      next += batch
      await sql(statement, [from, count, channels])
      if ((from / batch) % 5 === 4) progress(`${from + batch} of ${count} rows after ${seconds()} s`)
    }
  }
  await Promise.all(Array.from({ length: lanes }, fill))
  // Without "only", so that the index of each partition is made, too.
  for (const { definition } of indexes) await sql(definition.replace(" ON ONLY ", " ON "))
  progress(`indexes are built after ${seconds()} s`)
  await sql(`vacuum (analyze) ${tables.join(", ")}`)
  for (const table of stored) await sql(`alter table ${table} reset (autovacuum_enabled)`)
  for (const setting of settings) await sql(`alter system reset ${setting.split(" ")[0]}`)
  await sql("select pg_reload_conf()")
  await sql("checkpoint")
  const [size] = await sql<{ size: string }>(
    "select pg_size_pretty(sum(pg_total_relation_size(name::regclass))) as size from unnest($1::text[]) as name",
    [stored],
  )
  await pool.close()
  progress(`${count} deliveries are stored, ${size?.size}; filling took ${seconds()} s`)
}

const tables = ["delivery", "attempt", "known_event"]

async function partitionsOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    "select relid::text as name from pg_partition_tree('delivery') where isleaf union all select relid::text from pg_partition_tree('attempt') where isleaf",
  )
  return [...rows.map(({ name }) => name), "known_event"]
}

/** Returns all indexes but those of primary keys. These are kept, because their values are inserted in order. */
function secondaryIndexes(sql: Sql): Promise<{ name: string; definition: string }[]> {
  return sql(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index where indrelid = any($1::text[]::regclass[]) and not indisprimary`,
    [tables],
  )
}
