import { html } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import type { Member } from '../domain/records.ts';
import type { InteractionDetails } from '../oauth/interactions.ts';
import { interactionPath } from '../oauth/interactions.ts';
import { continueTo } from './client-view.ts';
import { formTargets } from '@fairlead/service-kit/http/form-target';
import { PROBLEM_ID, cardPage } from '@fairlead/pages/card-page';

/** The content of the account page. */
export interface AccountView {
  readonly details: InteractionDetails;
  readonly formToken: string;
  /** Ticket that proves the person's identity; the form sends it back. */
  readonly ticket: string;
  /** The person's users, two or more, each in a different account. */
  readonly members: readonly Member[];
  /** Whether the form was sent without a choice. */
  readonly isChoiceMissing: boolean;
}

/**
 * Asks a person with users in several accounts which account to continue in. None is preselected: the account decides what
 * the application gets.
 */
export function accountPage(view: AccountView): RenderedPage {
  const { details, members, isChoiceMissing } = view;
  const path = interactionPath(details.id);
  const about = isChoiceMissing ? html` aria-describedby="${PROBLEM_ID}"` : undefined;
  return cardPage({
    status: isChoiceMissing ? 400 : 200,
    title: 'Choose an account',
    problem: isChoiceMissing
      ? { title: 'No account selected', text: 'Choose the account to continue in.' }
      : undefined,
    formTargets: formTargets(details.redirectUri, { mayContinue: false }),
    lead: continueTo(details),
    content: html`<form method="post" action="${path}/account">
        <input type="hidden" name="form_token" value="${view.formToken}" />
        <input type="hidden" name="ticket" value="${view.ticket}" />
        <fieldset${about}>
          <legend>Your accounts</legend>
          ${members.map(
            ({ account, user }, index) =>
              html`<label class="choice"
                ><input
                  type="radio"
                  name="user_id"
                  value="${user.id}"
                  required${index === 0 ? html` autofocus` : undefined}
                /><span
                  ><strong>${account.name}</strong><small>${user.email}, ${user.role}</small></span
                ></label
              >`,
          )}
        </fieldset>
        <div class="actions">
          <button type="submit">Continue</button>
          <button type="submit" class="quiet" formaction="${path}/deny" formnovalidate>Cancel</button>
        </div>
      </form>`,
  });
}
