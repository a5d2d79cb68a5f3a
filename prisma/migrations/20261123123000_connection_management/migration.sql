ALTER TABLE "connection" ADD COLUMN "source_version" INTEGER NOT NULL DEFAULT 1;
CREATE INDEX "connection_created_at_id_idx" ON "connection"("created_at", "id");
CREATE INDEX "connection_site_created_at_id_idx" ON "connection"("site", "created_at", "id");

-- No index has one of these columns, except for connections that fail. A finished sync is written as before.
ALTER TABLE "sync_window"
  ADD COLUMN "last_synced_at" TIMESTAMPTZ(3),
  ADD COLUMN "last_outcome" "sync_outcome",
  ADD COLUMN "last_success_at" TIMESTAMPTZ(3),
  ADD COLUMN "failing_since" TIMESTAMPTZ(3),
  ADD COLUMN "source_version" INTEGER NOT NULL DEFAULT 1;
CREATE INDEX "sync_window_failing_idx" ON "sync_window"("connection_id") WHERE ("failing_since" IS NOT NULL);

-- Rows are locked in the order in which schedulers lock them.
WITH locked AS MATERIALIZED (
  SELECT connection_id, last_error FROM "sync_window" WHERE fence > 0 ORDER BY connection_id FOR UPDATE
)
UPDATE "sync_window" w SET
  last_synced_at = newest.finished_at,
  last_outcome = newest.outcome,
  last_success_at = CASE WHEN newest.outcome IN ('changed', 'unchanged') THEN newest.finished_at END,
  failing_since = CASE WHEN newest.outcome = 'failed' THEN newest.finished_at END
FROM locked CROSS JOIN LATERAL (
  SELECT finished_at, outcome FROM "sync_run" r
  WHERE r.connection_id = locked.connection_id AND r.outcome IN ('changed', 'unchanged', 'failed')
  ORDER BY fence DESC LIMIT 1
) newest
WHERE w.connection_id = locked.connection_id;

-- A statement that records triggers may insert a window while its connection is being deleted. Windows are inserted
-- rarely, so this costs triggers and syncs nothing.
CREATE FUNCTION delete_window_without_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM connection WHERE id = NEW.connection_id FOR KEY SHARE;
  IF NOT FOUND THEN
    DELETE FROM sync_window WHERE connection_id = NEW.connection_id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER window_inserted AFTER INSERT ON "sync_window"
  FOR EACH ROW EXECUTE FUNCTION delete_window_without_connection();
