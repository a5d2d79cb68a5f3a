-- Rows of these tables arrive in the order of time, so a BRIN index finds a range of time at nearly no cost for an
-- insert. Creating it reads the table once. With autosummarize, a search does not read all pages that were added since
-- the last vacuum.
CREATE INDEX "sync_run_started_at_idx" ON "sync_run" USING BRIN ("started_at") WITH (pages_per_range = 32, autosummarize = on);

CREATE TYPE "statistic_interval" AS ENUM ('minute', 'hour', 'day');
CREATE TABLE "statistic" (
  "interval" "statistic_interval" NOT NULL,
  "channel_id" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "deliveries" INTEGER NOT NULL,
  "attempts" JSONB NOT NULL,
  "latency" JSONB NOT NULL,
  "deferred" JSONB,
  "triggers" INTEGER,
  "syncs" JSONB,
  "counted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "statistic_pkey" PRIMARY KEY ("interval", "channel_id", "started_at")
);
CREATE INDEX "statistic_interval_started_at_idx" ON "statistic"("interval", "started_at");

CREATE TABLE "statistics_position" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "counted_through" TIMESTAMPTZ(3) NOT NULL,
  "settled_through" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "statistics_position_pkey" PRIMARY KEY ("id")
);
INSERT INTO "statistics_position" ("counted_through", "settled_through")
VALUES (date_trunc('minute', now()), date_trunc('minute', now()));
