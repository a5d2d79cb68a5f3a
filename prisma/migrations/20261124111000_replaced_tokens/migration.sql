CREATE TABLE "replaced_token" (
  "connection_id" TEXT NOT NULL,
  "token_sha256" BYTEA NOT NULL,
  "replaced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "calls" BIGINT NOT NULL DEFAULT 0,
  "last_called_at" TIMESTAMPTZ(3),
  CONSTRAINT "replaced_token_pkey" PRIMARY KEY ("connection_id", "token_sha256"),
  CONSTRAINT "replaced_token_connection_id_fkey" FOREIGN KEY ("connection_id") REFERENCES "connection"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "replaced_token_replaced_at_idx" ON "replaced_token"("replaced_at");
