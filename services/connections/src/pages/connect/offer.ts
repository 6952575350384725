import type { ConnectorHead, FieldDescriptor } from '@fairlead/connector-model/model';
import { ApiError } from '@fairlead/errors/api-error';
import type { FieldOptions } from '../../domain/connection.ts';
import type { UsableMethod } from '../../use-cases/list-session-methods.ts';
import type { PageUseCases } from '../bind-use-cases.ts';
import type { FormField } from './fields.ts';
import type { PageSession } from './session.ts';

/** An application of a session, the shown method, and its other methods. */
export interface Offer extends UsableMethod {
  readonly application: ConnectorHead;
  readonly otherMethods: readonly UsableMethod[];
}

/** The session's application if it has only one; undefined if the person chooses. */
export function onlyApplication({ session, renews }: PageSession): string | undefined {
  if (renews !== undefined) return renews.applicationSlug;
  return session.applicationSlugs.length === 1 ? session.applicationSlugs[0] : undefined;
}

/** The session does not offer the application, or the method. */
export class NotOfferedError extends Error {
  override readonly name = 'NotOfferedError';
}

/** An application that the session offers, with the method that has that id (a text), or the first one if null. Throws NotOfferedError. */
export async function findOffer(
  useCases: Pick<PageUseCases, 'getConnectApplication'>,
  { context }: PageSession,
  slug: string,
  methodId: string | null,
): Promise<Offer> {
  const { head, methods } = await orNotOffered(useCases.getConnectApplication(context, slug));
  const chosen =
    methodId === null
      ? methods[0]
      : methods.find(({ method }) => String(method.authenticationId) === methodId);
  if (chosen === undefined) throw new NotOfferedError('The session offers no such method.');
  return { application: head, ...chosen, otherMethods: methods.filter((other) => other !== chosen) };
}

async function orNotOffered<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
    throw new NotOfferedError('The session offers no such application.', { cause: error });
  }
}

/** An authorised sign-in. */
export interface AuthorizedSignIn {
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** Choices by field; empty: nothing to choose. */
  readonly fieldOptions: Readonly<Record<string, FieldOptions[string]>>;
}

/** The sign-in with that state; undefined if it is not of this session, or not authorised. */
export async function findAuthorized(
  useCases: Pick<PageUseCases, 'getConnectSignIn'>,
  page: PageSession,
  state: string,
): Promise<AuthorizedSignIn | undefined> {
  try {
    const completed = await useCases.getConnectSignIn(page.context, state);
    if (completed === undefined) return undefined;
    const { applicationSlug, authenticationId, outcome } = completed;
    // A sign-in for a connected MCP server is stored for the application `mcp`.
    const slug = onlyApplication(page) ?? applicationSlug;
    return { applicationSlug: slug, authenticationId, fieldOptions: outcome.fieldOptions };
  } catch (error) {
    const isOver =
      error instanceof ApiError && ['OAUTH_STATE_EXPIRED', 'OAUTH_SIGN_IN_FAILED'].includes(error.code);
    if (isOver) return undefined;
    throw error;
  }
}

/** The fields for which the person chooses, with the options found at sign-in. */
export function optionFields(
  { fieldOptions }: Pick<AuthorizedSignIn, 'fieldOptions'>,
  { method }: Pick<UsableMethod, 'method'>,
): readonly FormField[] {
  return Object.entries(fieldOptions).map(([name, labels]) =>
    optionField(
      name,
      labels,
      method.fields.find((field) => field.name === name),
    ),
  );
}

function optionField(
  name: string,
  labels: FieldOptions[string],
  field: FieldDescriptor | undefined,
): FormField {
  return {
    name,
    label: field?.label ?? labelOf(name),
    description: field?.description ?? '',
    help: field?.help ?? null,
    helpUrl: field?.helpUrl ?? null,
    translations: field?.translations ?? {},
    type: 'select',
    isRequired: true,
    isPassword: false,
    maskInLogs: false,
    defaultValue: null,
    options: Object.entries(labels).map(([value, label]) => ({ value, label, translations: {} })),
  };
}

/** Label of a field that the connector no longer has: `workspaceId` becomes `Workspace id`. */
function labelOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])|[_-]+/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
