import type { FieldDescriptor } from '@fairlead/connector-model/model';
import { html } from '@fairlead/service-kit/http/html';
import type { Html } from '@fairlead/service-kit/http/html';
import type { Messages } from './languages/messages.ts';

/** A field as a form shows it. */
export type ShownField = Pick<
  FieldDescriptor,
  | 'name'
  | 'label'
  | 'description'
  | 'type'
  | 'isRequired'
  | 'isPassword'
  | 'maskInLogs'
  | 'defaultValue'
  | 'options'
>;

/** The problem of a field: nothing was entered, or the words of the service. */
export type FieldProblem =
  { readonly kind: 'missing' } | { readonly kind: 'refused'; readonly issue: string };

/** The input of a person, by the name of the field. */
export type Entered = ReadonlyMap<string, string>;

/** The name of a field's control in the form. */
export function controlName(name: string): string {
  return `field.${name}`;
}

/** The controls of a form's fields with what was entered, but for secrets, and what is wrong with it. */
export function fieldControls(o: {
  readonly fields: readonly ShownField[];
  readonly entered: Entered;
  readonly problems: ReadonlyMap<string, FieldProblem>;
  readonly messages: Messages;
}): readonly Html[] {
  return o.fields.map((field, index) => fieldControl(field, `field-${index}`, o));
}

/** Whether the field holds a secret, which no page shows. */
export function isSecret({ isPassword, maskInLogs }: Pick<ShownField, 'isPassword' | 'maskInLogs'>): boolean {
  return isPassword || maskInLogs;
}

function fieldControl(
  field: ShownField,
  id: string,
  o: {
    readonly entered: Entered;
    readonly problems: ReadonlyMap<string, FieldProblem>;
    readonly messages: Messages;
  },
): Html {
  const problem = o.problems.get(field.name);
  const described = [
    ...(field.description === '' ? [] : [`${id}-hint`]),
    ...(problem === undefined ? [] : [`${id}-issue`]),
  ].join(' ');
  const attributes = html` id="${id}"
  name="${controlName(field.name)}"${
    described === '' ? undefined : html` aria-describedby="${described}"`
  }${problem === undefined ? undefined : html` aria-invalid="true"`}`;
  const value = isSecret(field) ? '' : (o.entered.get(field.name) ?? defaultText(field));
  // Labels and descriptions are the connector's, in English.
  const label = html`<label for="${id}"
    ><span lang="en">${field.label}</span>${
      field.isRequired || field.type === 'boolean' ? undefined : html` <small>${o.messages.optional}</small>`
    }</label
  >`;
  const hint =
    field.description === ''
      ? undefined
      : html`<p class="hint" id="${id}-hint" lang="en">${field.description}</p>`;
  const issue = problem === undefined ? undefined : issueText(problem, id, o.messages);
  if (field.type === 'boolean') {
    return html`<div class="check">
        <input
          type="checkbox"
          value="true"
          ${attributes}${value === 'true' ? html` checked` : undefined}
        />${label}
      </div>
      ${hint} ${issue}`;
  }
  return html`${label} ${hint} ${control(field, attributes, value, o.messages)} ${issue}`;
}

function control(field: ShownField, attributes: Html, value: string, messages: Messages): Html {
  const required = field.isRequired ? html` required` : undefined;
  if (field.type === 'select') return select(field, attributes, value, messages);
  if (isSecret(field) && field.type !== 'json')
    return html`<input type="password" autocomplete="off" spellcheck="false" ${attributes}${required} />`;
  if (field.type === 'json')
    return html`<textarea autocomplete="off" spellcheck="false" ${attributes}${required}>${value}</textarea>`;
  const mode = field.type === 'number' ? html` inputmode="decimal"` : undefined;
  return html`<input
    type="text"
    autocomplete="off"
    spellcheck="false"
    value="${value}"
    ${attributes}${mode}${required}
  />`;
}

function select(field: ShownField, attributes: Html, value: string, messages: Messages): Html {
  const choices = field.options.map(
    (option) =>
      html`<option value="${option.value}" ${option.value === value ? html` selected` : undefined}>
        ${option.label}
      </option>`,
  );
  const required = field.isRequired ? html` required` : undefined;
  return html`<select${attributes}${required}><option value="">${messages.choose}</option>${choices}</select>`;
}

function issueText(problem: FieldProblem, id: string, messages: Messages): Html {
  const text =
    problem.kind === 'missing'
      ? html`${messages.required}`
      : html`${messages.notAccepted} <span lang="en">${problem.issue}</span>`;
  return html`<p class="issue" id="${id}-issue">${text}</p>`;
}

function defaultText({ defaultValue }: ShownField): string {
  return typeof defaultValue === 'object' ? '' : String(defaultValue);
}
