import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { jsonText, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { ClientAnswer, ClientChannel, ClientQuestion } from '../../ports/client-channel.ts';
import type { NamedCall } from './read-named-call.ts';

/** Maximum characters of the inputs in the question to the person. */
const SHOWN_CHARACTERS = 2_000;

/**
 * Asks the person at the client to confirm a destructive call, if the server requires it. Throws APPROVAL_REQUIRED if the client cannot ask
 * or nobody answered, and FORBIDDEN if the person declined; in both cases nothing was executed.
 */
export async function confirmCall(
  ctx: RequestContext,
  { name, settings }: McpServer,
  call: NamedCall,
  channel: ClientChannel,
): Promise<void> {
  if (!settings.confirmDestructive || !call.tool.isDestructive) return;
  const question = questionOf(name, call);
  if (!channel.canAsk(question)) throw cannotAsk();
  const refusal = refusalOf(await channel.ask(ctx, question));
  if (refusal !== undefined) throw refusal;
}

function questionOf(serverName: string, { tool, fields }: NamedCall): ClientQuestion {
  const inputs = jsonText(
    Object.fromEntries(Object.entries(fields).map(([name, json]) => [name, new LazyJson(json)])),
  );
  const preview = inputs.length > SHOWN_CHARACTERS ? `${inputs.slice(0, SHOWN_CHARACTERS)}…` : inputs;
  return {
    name: 'confirm',
    method: 'elicitation/create',
    params: {
      message: `${serverName} is about to run ${tool.name}, which may change or delete data for good. Its inputs: ${preview} Do you want to run it?`,
      // Without fields: accepting the form is the confirmation.
      requestedSchema: { type: 'object', properties: {} },
    },
  };
}

function refusalOf(answer: ClientAnswer): ApiError | undefined {
  if (answer.kind !== 'result')
    return new ApiError(
      'APPROVAL_REQUIRED',
      'A person has to confirm this call, and the client brought no answer. Send the call again. Nothing was executed.',
    );
  switch (answer.result['action']) {
    case 'accept':
      return undefined;
    case 'decline':
      return new ApiError('FORBIDDEN', 'The person at the client declined the call. Nothing was executed.');
    default:
      return new ApiError(
        'APPROVAL_REQUIRED',
        'A person has to confirm this call, and the person at the client did not decide. Nothing was executed.',
      );
  }
}

function cannotAsk(): ApiError {
  return new ApiError(
    'APPROVAL_REQUIRED',
    'The call may destroy something, so a person has to confirm it, and this client cannot ask one. Nothing was executed. Use a client that supports elicitation (forms), or call the tool on an MCP server whose toolset demands approvals in place of confirmDestructive.',
  );
}
