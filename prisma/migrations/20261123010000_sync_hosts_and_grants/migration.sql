-- Host and port of the source, without the user information that may stand before them. Generated: one home for the rule.
ALTER TABLE "connection" ADD COLUMN "source_host" TEXT
  GENERATED ALWAYS AS (lower(coalesce(substring("source" from '^[^:]+://(?:[^/?#]*@)?([^/?#]*)'), ''))) STORED;

ALTER TABLE "sync_window" ADD COLUMN "waits_for_host" TEXT;
ALTER TABLE "sync_window" ADD COLUMN "slow" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "sync_window" ADD COLUMN "grant_id" UUID;
ALTER TABLE "sync_run" ADD COLUMN "grant_id" UUID;

UPDATE "sync_window" SET "slow" = true WHERE "last_error" IN ('timeout', 'late-start');

-- A claim walks the first; a window that is due while its host has no capacity moves to the second, so that a full host's
-- windows are not walked again. Both together contain less than the one index that they replace: most windows are idle.
DROP INDEX "sync_window_due_at_idx";
CREATE INDEX "sync_window_due_idx" ON "sync_window"("due_at")
  WHERE ("due_at" IS NOT NULL AND "waits_for_host" IS NULL);
CREATE INDEX "sync_window_waiting_idx" ON "sync_window"("slow", "waits_for_host", "due_at")
  WHERE ("waits_for_host" IS NOT NULL);

-- Foreign keys would lock the connection's row for every run and every chunk. This costs nothing until a connection is
-- deleted. The window goes first: a claim holds its lock until the run is inserted.
CREATE FUNCTION delete_syncs_of_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sync_window WHERE connection_id = OLD.id;
  DELETE FROM sync_run WHERE connection_id = OLD.id;
  DELETE FROM snapshot WHERE connection_id = OLD.id;
  DELETE FROM snapshot_chunk WHERE connection_id = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER connection_deleted AFTER DELETE ON "connection"
  FOR EACH ROW EXECUTE FUNCTION delete_syncs_of_connection();
