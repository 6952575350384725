import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequest,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { textResult } from './contents.ts';
import { ask, askModel, askRoots, askText, askToConfirm, CHOICES, DEFAULTS } from './questions.ts';

const capabilities = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({ elicitation: z.unknown(), sampling: z.unknown() }).partial(),
});

/** A tool whose result depends on the call. */
export type SuiteTool = (
  args: Readonly<Record<string, unknown>>,
  context: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

/** Signs the state that clients return. */
export const states = createRequestStateCodec<{ readonly round: number; readonly name?: string }>({
  key: randomBytes(32),
});

const roundOf = ({ mcpReq }: ServerContext) =>
  mcpReq.requestState<{ readonly round: number; readonly name?: string }>();

/** A tool that sends one request to the client and returns the answer. */
function asks(key: string, question: (args: Readonly<Record<string, unknown>>) => InputRequest): SuiteTool {
  return (args, { mcpReq }) => {
    const told = inputResponse(mcpReq.inputResponses, key);
    const isAnswered = told.kind !== 'missing' && (told.kind !== 'elicit' || isWhole(told, question(args)));
    if (!isAnswered) return inputRequired({ inputRequests: { [key]: question(args) } });
    return textResult(`The client responded: ${JSON.stringify(mcpReq.inputResponses?.[key])}`);
  };
}

/** Whether an accepted form has all required members, with text where text is required. */
function isWhole(told: { action: string; content?: unknown }, { params }: InputRequest): boolean {
  if (told.action !== 'accept') return true;
  const { properties = {}, required = [] } =
    (params as { requestedSchema?: FormSchema } | undefined)?.requestedSchema ?? {};
  const content = (told.content ?? {}) as Readonly<Record<string, unknown>>;
  return required.every((name) => typeof content[name] === properties[name]?.type);
}
interface FormSchema {
  readonly properties?: Readonly<Record<string, { readonly type: string }>>;
  readonly required?: readonly string[];
}

const multiRound: SuiteTool = async (_args, context) => {
  const state = roundOf(context);
  const { inputResponses } = context.mcpReq;
  const told = (key: string, name: string): string => String(acceptedContent(inputResponses, key)?.[name]);
  if (state === undefined)
    return inputRequired({
      inputRequests: { step1: askText('Step 1: What is your name?', 'name') },
      requestState: await states.mint({ round: 1 }),
    });
  if (state.round === 1)
    return inputRequired({
      inputRequests: { step2: askText('Step 2: What is your favorite color?', 'color') },
      requestState: await states.mint({ round: 2, name: told('step1', 'name') }),
    });
  return textResult(`${state.name} likes ${told('step2', 'color')}.`);
};

const confirmsWithState: SuiteTool = async (_args, context) => {
  const isConfirmed = acceptedContent(context.mcpReq.inputResponses, 'confirm') !== undefined;
  if (isConfirmed && roundOf(context) !== undefined) return textResult('state-ok: the state came back.');
  const requestState = await states.mint({ round: 1 });
  return inputRequired({ inputRequests: { confirm: askToConfirm() }, requestState });
};

const severalInputs: SuiteTool = async (_args, { mcpReq }) => {
  const inputRequests = {
    user_name: askText('What is your name?', 'name'),
    greeting: askModel('Generate a greeting'),
    client_roots: askRoots(),
  };
  const isWhole = Object.keys(inputRequests).every((key) => mcpReq.inputResponses?.[key] !== undefined);
  if (isWhole) return textResult('All was told.');
  return inputRequired({ inputRequests, requestState: await states.mint({ round: 1 }) });
};

const asksWithinCapabilities: SuiteTool = (_args, { mcpReq }) => {
  if (mcpReq.inputResponses !== undefined) return textResult('The client has answered.');
  const declared = capabilities.parse(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY];
  const inputRequests = {
    ...(declared.elicitation !== undefined && { elicit_input: askText('Please answer', 'value') }),
    ...(declared.sampling !== undefined && { sample_input: askModel('Generate a greeting') }),
  };
  if (Object.keys(inputRequests).length === 0) return textResult('The client declares nothing.');
  return inputRequired({ inputRequests });
};

/** The tools that send requests to the client, by name. */
export const ASKING_TOOLS: ReadonlyMap<string, SuiteTool> = new Map<string, SuiteTool>([
  ['test_sampling', asks('sample', ({ prompt }) => askModel(String(prompt)))],
  [
    'test_elicitation',
    asks('form', ({ message }) => ask(String(message), { response: { type: 'string' } }, ['response'])),
  ],
  ['test_elicitation_sep1034_defaults', asks('form', () => ask('Review the defaults', DEFAULTS, []))],
  ['test_elicitation_sep1330_enums', asks('form', () => ask('Select options', CHOICES, []))],
  ['test_missing_capability', asks('sample', () => askModel('Reply with one word'))],
  ['test_input_required_result_elicitation', asks('user_name', () => askText('What is your name?', 'name'))],
  [
    'test_input_required_result_sampling',
    asks('capital_question', () => askModel('What is the capital of France?')),
  ],
  ['test_input_required_result_list_roots', asks('client_roots', askRoots)],
  ['test_input_required_result_request_state', confirmsWithState],
  ['test_input_required_result_tampered_state', confirmsWithState],
  ['test_input_required_result_multiple_inputs', severalInputs],
  ['test_input_required_result_multi_round', multiRound],
  ['test_input_required_result_capabilities', asksWithinCapabilities],
]);
