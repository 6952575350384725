import type { AuthenticationMethod, Connector } from '@fairlead/connector-model/model';
import {
  attackMark,
  conversationMark,
  SLOW_VENDORS,
  TOKEN_ATTACKS,
  VENDOR_ATTACKS,
} from '@fairlead/connector-runtime/testing/hostile-vendor';
import type { Attack, ConnectionBody, OpenPeer, ToolCall } from './peer.ts';

/**
 * The hostile vendor as the API of a template connector: a connection's credential, or a call's inputs, determine its answer. Its token
 * endpoint is attacked where a method needs no person.
 */
export const openTemplatePeer: OpenPeer = ({ connector }) => {
  const keyed = connector.authenticationMethods.find(({ scheme }) => scheme.type !== 'oauth2');
  if (keyed === undefined) throw new Error(`${connector.slug} has no method without a sign-in.`);
  const attacks = Object.entries(VENDOR_ATTACKS).map(([name, { says, notices }]): Attack => ({
    name,
    connection: connectionOf(connector, keyed, attackMark(name)),
    execution: { call: callOf(connector, 'plain'), fails: notices === 'nobody' ? null : says },
    test: { fails: notices === undefined ? says : undefined },
    isSlow: false,
  }));
  const slow = Object.keys(SLOW_VENDORS).map((name): Attack => ({
    name,
    connection: connectionOf(connector, keyed, attackMark(name)),
    execution: { call: callOf(connector, 'plain'), fails: 'did not respond within' },
    test: { fails: 'did not respond within' },
    isSlow: true,
  }));
  return Promise.resolve({
    attacks: [...attacks, ...tokenAttacks(connector), ...slow],
    conversations: {
      connection: connectionOf(connector, keyed, 'plain'),
      call: (seed) => callOf(connector, conversationMark(seed)),
    },
    close: () => Promise.resolve(),
  });
};

function tokenAttacks(connector: Connector): readonly Attack[] {
  const method = connector.authenticationMethods.find(
    ({ scheme }) => scheme.type === 'oauth2' && scheme.grant === 'clientCredentials',
  );
  if (method === undefined) return [];
  return Object.entries(TOKEN_ATTACKS).map(([name, { says, saysToClient = says }]) => ({
    name: `token: ${name}`,
    connection: connectionOf(connector, method, attackMark(name)),
    execution: { call: callOf(connector, 'plain'), fails: saysToClient },
    test: { fails: saysToClient },
    isSlow: name in SLOW_VENDORS,
  }));
}

function connectionOf(
  { slug }: Connector,
  { authenticationId, fields }: AuthenticationMethod,
  value: string,
): ConnectionBody {
  const filled = fields.filter(({ isRequired }) => isRequired).map(({ name }) => [name, value] as const);
  return { applicationSlug: slug, authenticationId, fields: Object.fromEntries(filled) };
}

/** A call of the first tool with a single text in its request's path, and no other required input. */
function callOf({ slug, tools }: Connector, value: string): ToolCall {
  for (const { toolSlug, execution, inputSchema } of tools) {
    const [, name] = (execution.type === 'http' && /\{\{input\.(\w+)\}\}/.exec(execution.request.url)) || [];
    const required = inputSchema['required'];
    if (name !== undefined && Array.isArray(required) && required.length === 1 && required[0] === name)
      return { toolSlug, fields: { [name]: value } };
  }
  throw new Error(`No tool of ${slug} takes a text in its path.`);
}
