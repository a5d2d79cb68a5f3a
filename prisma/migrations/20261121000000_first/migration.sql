-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "other_secret_state" AS ENUM ('staged', 'retiring');

-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('pending', 'delivered', 'dead', 'erased');

-- CreateEnum
CREATE TYPE "job_kind" AS ENUM ('resend', 'replay', 'erasure');

-- CreateEnum
CREATE TYPE "job_state" AS ENUM ('running', 'done', 'cancelled');

-- CreateEnum
CREATE TYPE "sync_runner" AS ENUM ('pull', 'delegate');

-- CreateEnum
CREATE TYPE "sync_outcome" AS ENUM ('running', 'changed', 'unchanged', 'failed', 'abandoned');

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "key_sha256" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channel" (
    "id" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "secret_id" TEXT NOT NULL,
    "secret_sealed" BYTEA NOT NULL,
    "other_secret_id" TEXT,
    "other_secret_sealed" BYTEA,
    "other_secret_state" "other_secret_state",
    "standard_webhooks" BOOLEAN NOT NULL DEFAULT false,
    "paused_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "event_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "body_sha256" BYTEA NOT NULL,
    "state" "delivery_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "correlation" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_attempt_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job" (
    "id" TEXT NOT NULL,
    "kind" "job_kind" NOT NULL,
    "state" "job_state" NOT NULL DEFAULT 'running',
    "filter" JSONB NOT NULL,
    "reason" TEXT NOT NULL,
    "requested_by" TEXT NOT NULL,
    "position" TEXT,
    "counts" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" DOUBLE PRECISION NOT NULL,
    "lookup_ms" DOUBLE PRECISION,
    "connect_ms" DOUBLE PRECISION,
    "tls_ms" DOUBLE PRECISION,
    "first_byte_ms" DOUBLE PRECISION,
    "address" TEXT,
    "status" INTEGER,
    "error" TEXT,
    "secret_id" TEXT NOT NULL,
    "response_excerpt" BYTEA,

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("delivery_id","number","started_at")
);

-- CreateTable
CREATE TABLE "connection" (
    "id" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "runner" "sync_runner" NOT NULL DEFAULT 'pull',
    "token_sha256" BYTEA NOT NULL,
    "token_sealed" BYTEA NOT NULL,
    "token_replaced_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sync_window" (
    "connection_id" TEXT NOT NULL,
    "requested" BIGINT NOT NULL DEFAULT 0,
    "claimed" BIGINT NOT NULL DEFAULT 0,
    "covered" BIGINT NOT NULL DEFAULT 0,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "not_before" TIMESTAMPTZ(3),
    "running" BOOLEAN NOT NULL DEFAULT false,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "first_trigger_at" TIMESTAMPTZ(3),
    "last_trigger_at" TIMESTAMPTZ(3),
    "correlation" TEXT,

    CONSTRAINT "sync_window_pkey" PRIMARY KEY ("connection_id")
);

-- CreateTable
CREATE TABLE "sync_run" (
    "connection_id" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "outcome" "sync_outcome" NOT NULL DEFAULT 'running',
    "error" TEXT,
    "triggers" INTEGER NOT NULL,
    "first_trigger_at" TIMESTAMPTZ(3),
    "last_trigger_at" TIMESTAMPTZ(3),
    "correlation" TEXT,
    "bytes" BIGINT,
    "content_sha256" BYTEA,

    CONSTRAINT "sync_run_pkey" PRIMARY KEY ("connection_id","fence")
);

-- CreateTable
CREATE TABLE "snapshot" (
    "connection_id" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,
    "content_sha256" BYTEA NOT NULL,
    "content_type" TEXT,
    "etag" TEXT,
    "last_modified" TEXT,
    "bytes" BIGINT NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "snapshot_pkey" PRIMARY KEY ("connection_id")
);

-- CreateTable
CREATE TABLE "snapshot_chunk" (
    "connection_id" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "snapshot_chunk_pkey" PRIMARY KEY ("connection_id","fence","position")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_key_sha256_key" ON "api_key"("key_sha256");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_event_id_key" ON "delivery"("event_id");

-- CreateIndex
CREATE INDEX "delivery_channel_id_id_idx" ON "delivery"("channel_id", "id");

-- CreateIndex
CREATE INDEX "job_state_idx" ON "job"("state");

-- CreateIndex
CREATE INDEX "sync_window_due_at_idx" ON "sync_window"("due_at");
