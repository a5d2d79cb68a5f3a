-- A list of all syncs, newest first, needs their order, which a BRIN index does not have. The index has one column: an
-- entry of 16 bytes is appended for each sync, or less, because syncs that are claimed together have the same time. The
-- end of a sync does not change it, so that update stays heap-only. Creating the index reads the table once.
DROP INDEX "sync_run_started_at_idx";
CREATE INDEX "sync_run_started_at_idx" ON "sync_run"("started_at");
