ALTER TYPE "deferral_reason" ADD VALUE 'rate';

CREATE TYPE "dead_reason" AS ENUM ('channel_deleted');
ALTER TABLE "delivery" ADD COLUMN "dead_reason" "dead_reason";

ALTER TABLE "channel" ADD COLUMN "max_per_second" INTEGER;

CREATE TABLE "channel_rate" (
  "channel_id" TEXT NOT NULL,
  "per_second" INTEGER NOT NULL,
  "granted" INTEGER NOT NULL,
  "start_at" TIMESTAMPTZ(6) NOT NULL,
  "next_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "channel_rate_pkey" PRIMARY KEY ("channel_id"),
  CONSTRAINT "channel_rate_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "deleted_channel" (
  "id" TEXT NOT NULL,
  "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "deleted_channel_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "dispatcher" (
  "id" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "dispatcher_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "channel_status" (
  "channel_id" TEXT NOT NULL,
  "dispatcher_id" TEXT NOT NULL,
  "breaker_opened_at" TIMESTAMPTZ(3),
  "failures" INTEGER NOT NULL,
  "concurrency_limit" INTEGER NOT NULL,
  "in_flight" INTEGER NOT NULL,
  "average_ms" INTEGER NOT NULL,
  CONSTRAINT "channel_status_pkey" PRIMARY KEY ("channel_id", "dispatcher_id"),
  CONSTRAINT "channel_status_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "channel_status_dispatcher_id_fkey" FOREIGN KEY ("dispatcher_id") REFERENCES "dispatcher"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "channel_status_dispatcher_id_idx" ON "channel_status"("dispatcher_id");

-- Attempts are appended in the order of their time, so this index needs one entry per 128 pages. Without
-- autosummarize, new pages would have no entry before the next vacuum, and every search would read them.
CREATE INDEX "attempt_started_at_idx" ON "attempt" USING BRIN ("started_at") WITH (autosummarize = on);
