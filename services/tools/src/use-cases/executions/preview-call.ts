import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckedCall } from '../../domain/checked-call.ts';
import type { ExecutionResult, Outcome } from '../../domain/execution.ts';
import { maskedMessage } from '../../domain/history-record.ts';
import { createCallMasker } from '../../domain/masking.ts';
import { maskOutput } from './mask-output.ts';
import type { ExecutionPorts } from '../../ports/execution-ports.ts';
import { openCheckedCall } from './open-checked-call.ts';
import { requireCurrent } from './require-current.ts';

type PreviewCallDeps = Pick<
  ExecutionPorts,
  'catalog' | 'connections' | 'runtime' | 'toolsets' | 'callers' | 'outputMasker' | 'clock'
>;

/** Returns the request that a call would send, secrets masked. Sends and records nothing, and uses no approval or budget. */
export async function previewCall(
  deps: PreviewCallDeps,
  ctx: RequestContext,
  checked: CheckedCall,
): Promise<ExecutionResult> {
  const opened = await openCheckedCall(deps, ctx, checked);
  const credential = opened.kind === 'call' ? opened.call.credential : undefined;
  await requireCurrent(deps, ctx, checked, credential);
  const end = (outcome: Outcome): ExecutionResult => ({
    outcome,
    historyId: undefined,
    info: checked.info(0),
  });
  if (opened.kind === 'none') return end({ isSuccess: false, errorMessage: opened.errorMessage });
  const masker = createCallMasker(opened.call.credential, checked.maskedFields.secrets);
  const sent = deps.runtime.preview(opened.call);
  if (sent.type === 'refused')
    return end({ isSuccess: false, errorMessage: maskedMessage(sent.errorMessage, masker) });
  return end(await maskOutput(deps, ctx, checked.until, { ...sent }, masker));
}
