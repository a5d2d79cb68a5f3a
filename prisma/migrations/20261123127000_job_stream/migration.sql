-- The stream of changes reads the jobs that have just ended.
CREATE INDEX "job_finished_at_idx" ON "job" ("finished_at");
