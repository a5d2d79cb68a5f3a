ALTER TYPE "job_kind" ADD VALUE 'reconcile';
