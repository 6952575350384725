import { MAX_MCP_OUTPUT_BYTES } from '@fairlead/connector-runtime/output-limit';
import { overloaded } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckedCall, VendorAnswer } from '../../domain/checked-call.ts';
import { maskedMessage } from '../../domain/history-record.ts';
import { inputRefusal } from '../../domain/input-refusal.ts';
import { mayHaveEffects } from '../../domain/target.ts';
import type { ExecutionPorts } from '../../ports/execution-ports.ts';
import type { AdmittedCall } from './admit-opened-call.ts';
import { callVendor } from './call-vendor.ts';
import { maskClientMessages } from './mask-client-messages.ts';
import { requireCurrent } from './require-current.ts';

/**
 * Calls the vendor of an admitted call, after a last check once its session is open. Returns the unmasked answer, or the refusal of a call
 * of which nothing was executed.
 */
export async function callTool(
  ports: ExecutionPorts,
  ctx: RequestContext,
  checked: CheckedCall,
  { call, masker }: Pick<AdmittedCall, 'call' | 'masker'>,
): Promise<VendorAnswer | { readonly refusal: Error }> {
  const { target, until, answerMs, maskedFields, client, takesMcpResult, takesFiles = false } = checked;
  let withdrawal: Error | undefined;
  const beforeSend = (): Promise<void> =>
    requireCurrent(ports, ctx, checked, call.credential).catch((error: Error) => {
      withdrawal = error;
      throw error;
    });
  const answer = await callVendor(ports, ctx, target.connection.id, call, {
    until,
    answerMs,
    beforeSend,
    takesMcpResult,
    ...(takesFiles && { maxOutputBytes: MAX_MCP_OUTPUT_BYTES }),
    client: client && maskClientMessages(ports, ctx, client, { masker, until }),
  });
  const { outcome, attempts, secrets } = answer;
  if (!outcome.isSuccess && outcome.isWithdrawn && withdrawal !== undefined) return { refusal: withdrawal };
  if (!outcome.isSuccess && outcome.isOverloaded)
    return { refusal: overloaded(maskedMessage(outcome.errorMessage, masker)) };
  // Once its vendor was called, a call that may have effects is never refused.
  if (!mayHaveEffects(target.tool) && outcome.inputIssues)
    return { refusal: inputRefusal(outcome.inputIssues, [...secrets, ...maskedFields.secrets]) };
  return { outcome, attempts, secrets, masker };
}
