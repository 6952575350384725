import type {
  AuthenticationMethod,
  Connector,
  ConnectorHead,
  ToolDefinition,
  TriggerTypeDefinition,
} from '@fairlead/connector-model/model';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { toolIdentities } from '@fairlead/connector-model/tool-identity';
import { isClientFor } from '@fairlead/connector-model/provider-slots';

export interface CataloguedApplication {
  /** `platform`: from the catalogue file, whose schemas are known to be bounded. `account`: from an unverified source. */
  readonly owner: 'platform' | 'account';
  /** An account's tools may be built when they are first read. */
  readonly connector: Connector;
  readonly toolCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A tool and its application. */
export interface CataloguedTool {
  readonly application: CataloguedApplication;
  readonly tool: ToolDefinition;
}

/** The permanent identities of the tool; the first is the one to store. */
export function identitiesOf({ application, tool }: CataloguedTool): readonly string[] {
  const isPlatform = application.owner === 'platform';
  return toolIdentities({ applicationSlug: application.connector.slug, isPlatform, definition: tool });
}

/** A trigger type and its application. */
export interface CataloguedTriggerType {
  readonly application: CataloguedApplication;
  readonly triggerType: TriggerTypeDefinition;
}

/** An OAuth method for which the calling account has a client: the connector's own or a usable auth provider. */
export interface SignInClient {
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** True for the connector's own client, which has only a client id and a client secret. */
  readonly isOwn: boolean;
  /** Slots for which the auth provider has values; undefined: a caller of an earlier release does not send them. */
  readonly heldSlots?: readonly string[] | undefined;
}

/** An application as one account sees it. `score` is present only in search results. */
export interface ApplicationView {
  readonly application: CataloguedApplication;
  readonly isAvailable: boolean;
  readonly score: number | undefined;
}

/** A tool as one account sees it. `score` is present only in search results. */
export interface ToolView extends CataloguedTool {
  readonly score: number | undefined;
}

/** A trigger type as one account sees it. `score` is present only in search results. */
export interface TriggerTypeView extends CataloguedTriggerType {
  readonly score: number | undefined;
}

/** Whether the application works without a connection: no method has fields, and it has only triggers that need no connection. */
export function isConnectionless(connector: Connector): boolean {
  const { authenticationMethods, baseUrl, tools, triggerTypes } = connector;
  return (
    authenticationMethods.every(({ scheme, fields }) => scheme.type === 'none' && fields.length === 0) &&
    baseUrl === null &&
    tools.length === 0 &&
    triggerTypes.every(({ requiresConnection }) => !requiresConnection)
  );
}

/**
 * Whether an account with these clients can connect the application now: by a method with fields only, or by OAuth with a client that has
 * every required slot.
 */
export function isAvailable(
  { slug, authenticationMethods }: Pick<ConnectorHead, 'slug' | 'authenticationMethods'>,
  clients: readonly SignInClient[],
): boolean {
  const hasClient = (method: AuthenticationMethod): boolean =>
    clients.some(
      (client) =>
        client.applicationSlug === slug &&
        client.authenticationId === method.authenticationId &&
        isClientFor(method, client),
    );
  return authenticationMethods.some((method) => !requiresOAuthSignIn(method) || hasClient(method));
}
