/**
 * The rule for processing once: `site_url` is the key, and a correction is an update. The id of a delivery is not the key: it is not
 * signed, and an event can come once more under a new one. docs/partners.md has the same statements, with their tables.
 */
export const upsertSite = `insert into site (site_url, reference, name, email) values ($1, $2, $3, $4)
  on conflict (site_url) do update
  set reference = excluded.reference, name = excluded.name, email = excluded.email`

/** For work that takes longer: a repetition changes nothing, and a correction is processed again. */
export const storeInInbox = `insert into inbox (site_url, body) values ($1, $2)
  on conflict (site_url) do update set body = excluded.body, processed_at = null
  where inbox.body <> excluded.body`

/** In one transaction with the work and with `markProcessed`. Other workers do not wait for the row. */
export const takeFromInbox =
  "select site_url, body from inbox where processed_at is null limit 1 for update skip locked"

export const markProcessed = "update inbox set processed_at = now() where site_url = $1"
