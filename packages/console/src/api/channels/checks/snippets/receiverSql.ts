/**
 * The rule for processing once: `site_url` is the key, and a correction is an update. The id of a delivery is not the key: it is not
 * signed, and an event can come once more under a new one. It only shows which data are newer, because a retry can arrive after the
 * correction of what it delivers. docs/partners.md has the same statements, with their tables.
 */
export const upsertSite = `insert into site (site_url, reference, name, email, delivery) values ($1, $2, $3, $4, $5)
  on conflict (site_url) do update
  set reference = excluded.reference, name = excluded.name, email = excluded.email, delivery = excluded.delivery
  where excluded.delivery >= site.delivery`

/** For work that takes longer: a repetition and a late retry change nothing, and a correction is processed again. */
export const storeInInbox = `insert into inbox (site_url, delivery, body) values ($1, $2, $3)
  on conflict (site_url) do update
  set delivery = excluded.delivery, body = excluded.body,
    processed_at = case when inbox.body = excluded.body then inbox.processed_at end
  where excluded.delivery >= inbox.delivery`

/** In one transaction with the work and with `markProcessed`. Other workers do not wait for the row. */
export const takeFromInbox =
  "select site_url, body from inbox where processed_at is null limit 1 for update skip locked"

export const markProcessed = "update inbox set processed_at = now() where site_url = $1"
