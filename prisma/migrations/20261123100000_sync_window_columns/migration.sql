-- Indexes follow a renamed column, and the names of these two mention neither.
ALTER TABLE "sync_window" RENAME COLUMN "not_before" TO "window_ends_at";
ALTER TABLE "sync_window" RENAME COLUMN "waits_for_host" TO "waiting_for_host";
