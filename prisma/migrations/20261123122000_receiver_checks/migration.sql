-- The console inserts test deliveries and certifications here, and a dispatcher runs them.
CREATE TYPE "receiver_check_kind" AS ENUM ('test', 'certification');
CREATE TYPE "receiver_check_state" AS ENUM ('waiting', 'running', 'done', 'failed');

CREATE TABLE "receiver_check" (
  "id" TEXT NOT NULL,
  "channel_id" TEXT NOT NULL,
  "kind" "receiver_check_kind" NOT NULL,
  "address" TEXT NOT NULL,
  "language" TEXT,
  "state" "receiver_check_state" NOT NULL DEFAULT 'waiting',
  "claims" INTEGER NOT NULL DEFAULT 0,
  "lease_expires_at" TIMESTAMPTZ(3),
  "report" JSONB,
  "error" TEXT,
  "requested_by" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "finished_at" TIMESTAMPTZ(3),
  CONSTRAINT "receiver_check_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "receiver_check_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "receiver_check_channel_id_kind_created_at_id_idx" ON "receiver_check"("channel_id", "kind", "created_at", "id");
CREATE INDEX "receiver_check_created_at_idx" ON "receiver_check"("created_at");
-- For the claim, which every dispatcher runs about once a second. Usually empty.
CREATE INDEX "receiver_check_unfinished_idx" ON "receiver_check"("created_at") WHERE "finished_at" IS NULL;

-- A retired secret is deleted. What stays is one signature by it, of a body with fictional data.
CREATE TABLE "retired_secret" (
  "channel_id" TEXT NOT NULL,
  "secret_id" TEXT NOT NULL,
  "test_body" BYTEA NOT NULL,
  "test_signature" TEXT NOT NULL,
  "retired_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "retired_secret_pkey" PRIMARY KEY ("channel_id"),
  CONSTRAINT "retired_secret_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

ALTER TABLE "channel" ADD COLUMN "last_certification" JSONB;
