-- Keys that exist keep the rights that they had: all.
ALTER TABLE "api_key"
  ADD COLUMN "scopes" TEXT[] NOT NULL DEFAULT ARRAY['operate'],
  ADD COLUMN "expires_at" TIMESTAMPTZ(3),
  ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
ALTER TABLE "api_key" ALTER COLUMN "scopes" DROP DEFAULT;
ALTER TABLE "api_key" ALTER COLUMN "scopes" DROP NOT NULL;

CREATE TABLE "audit_entry" (
  "id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "key_id" TEXT NOT NULL,
  "key_name" TEXT NOT NULL,
  "operation" TEXT NOT NULL,
  "target_kind" TEXT NOT NULL,
  "target_id" TEXT NOT NULL,
  "changes" JSONB NOT NULL,
  "request_id" TEXT NOT NULL,
  CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_entry_created_at_id_idx" ON "audit_entry"("created_at", "id");
CREATE INDEX "audit_entry_target_kind_target_id_created_at_idx" ON "audit_entry"("target_kind", "target_id", "created_at");
CREATE INDEX "audit_entry_key_id_created_at_idx" ON "audit_entry"("key_id", "created_at");

CREATE TABLE "idempotency_record" (
  "key_id" TEXT NOT NULL,
  "idempotency_key" TEXT NOT NULL,
  "request_sha256" BYTEA NOT NULL,
  "status" INTEGER,
  "response_sealed" BYTEA,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("key_id", "idempotency_key")
);
CREATE INDEX "idempotency_record_created_at_idx" ON "idempotency_record"("created_at");
