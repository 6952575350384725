import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { refusalToResume, RUN_LEASE_MS, RUN_LIMITS, RunLeftError } from '../../domain/workflow-run.ts';
import type { LeasedRun } from '../../ports/workflow-runs.ts';
import { collectSecrets } from './collect-secrets.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import { finishRun } from './finish-run.ts';
import { runSteps } from './run-steps.ts';

/** Interval of lease renewals: two of them may fail. */
const RENEWAL_MS = RUN_LEASE_MS / 4;

/**
 * Works on a leased run until it ends, whether or not its caller still waits, and renews its lease. An interrupted run continues where it
 * stopped, unless a call of a tool that is not idempotent is in doubt: then the run ends with a message that says so. Throws RunLeftError
 * if another process has taken it, or should take it because this one stops.
 */
export async function workOnRun(
  ports: RunPorts,
  { lease, head, progress }: LeasedRun,
  o: {
    readonly inputSecrets: readonly string[];
    readonly isResumed: boolean;
    /** Chosen by the request that began the run. */
    readonly canaries?: RequestContext['canaries'];
  },
): Promise<ExecutionResult> {
  const now = ports.clock.now();
  const leftMs = Math.max(0, head.startedAt.getTime() + RUN_LIMITS.runMs - now.getTime());
  const lost = new AbortController();
  const ctx = createRequestContext({
    requestId: head.requestId,
    caller: head.caller,
    // Finishing has its own time limit, for evaluating and masking the output.
    signal: lost.signal,
    deadline: new Date(Date.now() + leftMs + RUN_LEASE_MS),
    log: ports.log,
    canaries: o.canaries,
  });
  const stepsCtx = { ...ctx, deadline: new Date(Date.now() + leftMs) };
  const run = { lease, head, ctx, secrets: { known: [...o.inputSecrets], missing: new Set<number>() } };
  const renew = async (): Promise<void> => {
    try {
      if (!(await ports.runs.save(lease, undefined))) lost.abort(new RunLeftError('lost'));
    } catch (error) {
      ctx.log.warn({ err: error }, 'the lease of a workflow run was not renewed');
    }
  };
  const renewal = setInterval(() => void renew(), RENEWAL_MS);
  try {
    await collectSecrets(ports, ctx, run.secrets, progress.connectionIds);
    const refusal = o.isResumed ? refusalToResume(head, progress, now) : undefined;
    const end =
      refusal === undefined
        ? await runSteps(ports, { ...run, ctx: stepsCtx }, progress)
        : { progress, stopped: refusal };
    return await finishRun(ports, run, end);
  } catch (error) {
    if (error instanceof RunLeftError && error.reason === 'stopping') await ports.runs.release(lease);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}
