-- Contexts of recorded traces. Null for all others, so that updates stay heap-only.
ALTER TABLE "delivery" ADD COLUMN "traceparent" TEXT;
ALTER TABLE "sync_window" ADD COLUMN "traceparents" TEXT;
ALTER TABLE "sync_run" ADD COLUMN "traceparents" TEXT;

ALTER TABLE "channel" ADD COLUMN "send_traceparent" BOOLEAN NOT NULL DEFAULT false;
