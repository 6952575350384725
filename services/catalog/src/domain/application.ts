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

/** An application as the catalogue holds it. */
export interface CataloguedApplication {
  /** The platform's come from the catalogue file, whose schemas are proved to be bounded; an account's from anywhere. */
  readonly owner: 'platform' | 'account';
  /** The tools of an account's may be built when they are first read. */
  readonly connector: Connector;
  readonly toolCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A tool with the application that it belongs to. */
export interface CataloguedTool {
  readonly application: CataloguedApplication;
  readonly tool: ToolDefinition;
}

/** The names that keep meaning the tool, the one to store first. */
export function identitiesOf({ application, tool }: CataloguedTool): readonly string[] {
  const isPlatform = application.owner === 'platform';
  return toolIdentities({ applicationSlug: application.connector.slug, isPlatform, definition: tool });
}

/** A trigger type with the application that it belongs to. */
export interface CataloguedTriggerType {
  readonly application: CataloguedApplication;
  readonly triggerType: TriggerTypeDefinition;
}

/** An OAuth method for which the calling account has a client: the connector's own or a usable auth provider. */
export interface SignInClient {
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** The connector's own, which holds a client id and a client secret and nothing else. */
  readonly isOwn: boolean;
  /** The slots that the auth provider holds; undefined: a caller of an earlier release does not say. */
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

/** Whether nothing of the application needs a connection: no method takes anything, and all it has is triggers without one. */
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
 * Whether an account with these clients can connect the application now: by a method whose fields it fills in itself,
 * or by a sign-in for which there is a client that holds all it needs.
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
