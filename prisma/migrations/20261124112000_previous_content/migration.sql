-- The content before the last change. Its chunks stay, with its fence.
ALTER TABLE "snapshot" ADD COLUMN "previous_fence" BIGINT,
ADD COLUMN "previous_sha256" BYTEA,
ADD COLUMN "previous_type" TEXT,
ADD COLUMN "previous_bytes" BIGINT,
ADD COLUMN "previous_stored_at" TIMESTAMPTZ(3);

-- For its deletion. Only a sync whose content changed writes to it.
CREATE INDEX "snapshot_previous_idx" ON "snapshot"("stored_at") WHERE ("previous_fence" IS NOT NULL);
