-- Contexts of recorded traces, separated by spaces. Null for all others.
ALTER TABLE "sync_window" ADD COLUMN IF NOT EXISTS "traceparents" TEXT;
