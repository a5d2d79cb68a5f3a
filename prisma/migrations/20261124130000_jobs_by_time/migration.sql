-- For the list of jobs, newest first.
CREATE INDEX CONCURRENTLY "job_created_at_id_idx" ON "job"("created_at", "id");
