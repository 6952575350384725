import type { Masker } from '@fairlead/connector-runtime/value-masking';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { maskMs } from '../../domain/call-time.ts';
import { NOT_MASKED, successOf } from '../../domain/execution.ts';
import type { Outcome } from '../../domain/execution.ts';
import type { OutputMasker } from '../../ports/output-masker.ts';

/** A success with a masked output, or a failure if it could not be masked before `until` (milliseconds of real time). */
export async function maskOutput(
  { outputMasker }: { readonly outputMasker: Pick<OutputMasker, 'mask'> },
  ctx: RequestContext,
  until: number,
  output: { readonly [name: string]: LazyValue },
  masker: Masker,
): Promise<Outcome> {
  const masked = await outputMasker.mask(output, masker, {
    accountId: accountOf(ctx),
    signal: ctx.signal,
    timeoutMs: maskMs(until, Date.now()),
  });
  return masked === undefined ? NOT_MASKED : successOf(masked);
}
