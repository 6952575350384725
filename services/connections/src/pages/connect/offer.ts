import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import { ApiError } from '@fairlead/errors/api-error';
import type { FieldOptions } from '../../domain/connection.ts';
import type { OfferedMethod } from '../../use-cases/list-offered-methods.ts';
import type { PageUseCases } from '../bind-use-cases.ts';
import type { ShownField } from './fields.ts';
import type { PageSession } from './session.ts';

/** An application of a session, one way to connect it, and the others. */
export interface Offer extends OfferedMethod {
  readonly application: ConnectorHead;
  readonly otherMethods: readonly AuthenticationMethod[];
}

/** The only application of a session; undefined if the person chooses. */
export function onlyApplication({ session, renews }: PageSession): string | undefined {
  if (renews !== undefined) return renews.applicationSlug;
  return session.applicationSlugs.length === 1 ? session.applicationSlugs[0] : undefined;
}

/** The session offers no such application, or no such method of it. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
}

/**
 * An application that the session offers, with the method of that id as text, or with the default one if it is null.
 * Throws NotOffered.
 */
export async function findOffer(
  useCases: Pick<PageUseCases, 'getConnectApplication'>,
  { context }: PageSession,
  slug: string,
  methodId: string | null,
): Promise<Offer> {
  const { head, methods } = await offered(useCases.getConnectApplication(context, slug));
  const chosen =
    methodId === null
      ? methods[0]
      : methods.find(({ method }) => String(method.authenticationId) === methodId);
  if (chosen === undefined) throw new NotOffered('The session offers no such method.');
  const others = methods.filter((other) => other !== chosen);
  return { application: head, ...chosen, otherMethods: others.map(({ method }) => method) };
}

async function offered<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
    throw new NotOffered('The session offers no such application.', { cause: error });
  }
}

/** A sign-in that the vendor has authorised. */
export interface Authorized {
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** The fields whose values the person chooses; empty: there is nothing to choose. */
  readonly options: readonly ShownField[];
}

/** The sign-in of that state; undefined if it is not one of the session, or not authorised. */
export async function findAuthorized(
  useCases: Pick<PageUseCases, 'getConnectSignIn'>,
  { context }: PageSession,
  state: string,
): Promise<Authorized | undefined> {
  try {
    const completed = await useCases.getConnectSignIn(context, state);
    if (completed === undefined) return undefined;
    const { applicationSlug, authenticationId, outcome } = completed;
    return {
      applicationSlug,
      authenticationId,
      options: Object.entries(outcome.fieldOptions).map(optionField),
    };
  } catch (error) {
    const isOver =
      error instanceof ApiError && ['OAUTH_STATE_EXPIRED', 'OAUTH_SIGN_IN_FAILED'].includes(error.code);
    if (isOver) return undefined;
    throw error;
  }
}

/** A field whose choices a sign-in found: an object of value to label. */
function optionField([name, labels]: readonly [string, FieldOptions[string]]): ShownField {
  return {
    name,
    label: labelOf(name),
    description: '',
    type: 'select',
    isRequired: true,
    isPassword: false,
    maskInLogs: false,
    defaultValue: null,
    options: Object.entries(labels).map(([value, label]) => ({ value, label })),
  };
}

/** A sign-in names its choices by the field only: `workspaceId` is shown as `Workspace id`. */
function labelOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])|[_-]+/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
