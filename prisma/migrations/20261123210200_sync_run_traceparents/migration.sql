-- Contexts of recorded traces, separated by spaces. Null for all others.
ALTER TABLE "sync_run" ADD COLUMN IF NOT EXISTS "traceparents" TEXT;
