-- The context of a recorded trace. Null for all others, so that updates stay heap-only.
ALTER TABLE "delivery" ADD COLUMN IF NOT EXISTS "traceparent" TEXT;
