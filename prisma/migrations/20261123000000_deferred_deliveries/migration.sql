-- A delivery that could be attempted, but not yet, is deferred in its row and no longer circulates through a retry topic.
--
-- Every column below stays null for a delivery that succeeds at its first attempt, and so does next_attempt_at from now on.
-- No index has a column that its update changes, so the update stays heap-only.
CREATE TYPE "deferral_reason" AS ENUM ('busy', 'breaker', 'paused', 'fault', 'resend', 'overdue');

ALTER TABLE "delivery" ADD COLUMN "deferred_at" TIMESTAMPTZ(3),
ADD COLUMN "deferred_reason" "deferral_reason",
ADD COLUMN "leased_until" TIMESTAMPTZ(3),
ADD COLUMN "failures" INTEGER,
ADD COLUMN "period_started_at" TIMESTAMPTZ(3);

-- For the claim: the deferred deliveries of a channel, in the order in which they were deferred. No other index has this order,
-- so that no plan can walk the whole table instead.
CREATE INDEX "delivery_deferred_idx" ON "delivery"("channel_id", "deferred_at", "id") WHERE "deferred_at" IS NOT NULL;

-- For the sweep: the scheduled deliveries, the longest overdue first.
CREATE INDEX "delivery_scheduled_idx" ON "delivery"("next_attempt_at") WHERE "next_attempt_at" IS NOT NULL;

-- When deliveries of a channel that was paused may be sent again: the pause does not count towards their retry periods.
ALTER TABLE "channel" ADD COLUMN "resumed_at" TIMESTAMPTZ(3);

-- How far the sweep has looked for deliveries that were never attempted and that nothing carries. One row.
CREATE TABLE "sweep_position" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "checked_through" UUID NOT NULL,

    CONSTRAINT "sweep_position_pkey" PRIMARY KEY ("id")
);
