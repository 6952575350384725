import type { JsonObject } from '@fairlead/connector-model/json';
import type { EgressRules } from '@fairlead/egress/address';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import type { PoolLimits } from '@fairlead/worker-pool/limits';
import { onTestFinished } from 'vitest';
import type { ToolCall, ToolOutcome } from '../call.ts';
import { createPackageWorkers, withPackages } from '../packages/package-workers.ts';
import { createConnectorRuntime } from '../runtime.ts';
import { testCall, testEgress, testOptions, testTool } from './calls.ts';
import { testPackages } from './test-packages.ts';

/** Time in which a worker gets the processor time of a call, even on a busy machine. */
const LONG_MS = 150_000;

interface Setting {
  readonly allow?: EgressRules;
  readonly limits?: Partial<PoolLimits>;
  readonly allowed?: Parameters<typeof testPackages>[1];
}

/** A runtime that allows one package, acme-piece 1.0.0, and the events that it records. */
export async function setUpPackage(
  program: string,
  { allow = ['127.0.0.0/8'], limits, allowed }: Setting = {},
) {
  const packages = await testPackages({ piece: program }, allowed);
  const egress = testEgress({ allow });
  const charged: string[] = [];
  const workers = createPackageWorkers({
    packages,
    egress,
    log: captureLog().log,
    // A busy machine may leave a worker without CPU for long.
    limits: { unresponsiveMs: 20_000, startMs: 60_000, ...limits },
    onCpu: (account) => void charged.push(account),
  });
  onTestFinished(async () => {
    await Promise.all([workers.close(), egress.close()]);
  });
  const runtime = createConnectorRuntime({
    egress,
    handlers: withPackages(() => Promise.reject(new Error('no other handler')), workers),
  });
  const call = (
    action: string,
    fields: JsonObject = {},
    parts: Partial<ToolCall> = {},
  ): Promise<ToolOutcome> => {
    const tool = testTool({ type: 'package', package: 'acme-piece', version: '1.0.0', action });
    return runtime.execute(testCall(tool, { fields, ...parts }), testOptions({ timeoutMs: LONG_MS }));
  };
  return { call, workers, charged };
}

/** The message of a failure. */
export const failureOf = (outcome: ToolOutcome): string | undefined =>
  outcome.isSuccess ? `succeeded with ${JSON.stringify(outcome.output)}` : outcome.errorMessage;
