import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Outcome } from '../../domain/execution.ts';
import { maskedMessage } from '../../domain/history-record.ts';
import { createCallMasker } from '../../domain/masking.ts';
import { maskOutput } from './mask-output.ts';
import { openCheckedCall } from './open-checked-call.ts';
import { requireCurrent } from './require-current.ts';
import type { ExecuteToolResult, PerformCallDeps, StartedCall } from './perform-call.ts';

/** The ports of a dry run. */
type PreviewCallDeps = Pick<
  PerformCallDeps,
  'catalog' | 'connections' | 'runtime' | 'toolsets' | 'callers' | 'outputMasker' | 'clock'
>;

/** Returns what a call would send, with secrets masked. Sends nothing, records nothing, and uses nothing up. */
export async function previewCall(
  deps: PreviewCallDeps,
  ctx: RequestContext,
  run: StartedCall,
): Promise<ExecuteToolResult> {
  const opened = await openCheckedCall(deps, ctx, run);
  const credential = opened.kind === 'call' ? opened.call.credential : undefined;
  await requireCurrent(deps, ctx, run, credential);
  const end = (outcome: Outcome): ExecuteToolResult => ({ outcome, historyId: undefined, info: run.info(0) });
  if (opened.kind === 'none') return end({ isSuccess: false, errorMessage: opened.errorMessage });
  const masker = createCallMasker(opened.call.credential, run.maskedFields.secrets);
  const sent = deps.runtime.preview(opened.call);
  if (sent.type === 'refused')
    return end({ isSuccess: false, errorMessage: maskedMessage(sent.errorMessage, masker) });
  return end(await maskOutput(deps, ctx, run.until, { ...sent }, masker));
}
