CREATE TABLE "session" (
    "id" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "key_id" TEXT,
    "user_id" TEXT,
    "name" TEXT,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "session_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    -- Either a key or a user: a session without a key would not end with it.
    CONSTRAINT "session_key_or_user" CHECK (("key_id" IS NULL) = ("user_id" IS NOT NULL))
);
CREATE UNIQUE INDEX "session_token_sha256_key" ON "session"("token_sha256");
CREATE INDEX "session_key_id_idx" ON "session"("key_id");
CREATE INDEX "session_created_at_idx" ON "session"("created_at");

CREATE TABLE "sign_in_link" (
    "id" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_link_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sign_in_link_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "sign_in_link_token_sha256_key" ON "sign_in_link"("token_sha256");
CREATE INDEX "sign_in_link_key_id_idx" ON "sign_in_link"("key_id");
CREATE INDEX "sign_in_link_created_at_idx" ON "sign_in_link"("created_at");
