-- Each dispatcher reads the erasures of the last days every second, and each resend adds a job.
CREATE INDEX "job_erasure_idx" ON "job"("created_at") WHERE kind = 'erasure';
