import { html } from '@fairlead/pages/html';
import type { Messages } from './messages.ts';

/** German. */
export const de: Messages = {
  connectTitle: (application) => `${application} verbinden`,
  asks: ({ user, account }, application) =>
    html`${user} (${account}) bittet Sie, ${application} zu verbinden.`,
  renewTitle: (application) => `${application} erneut verbinden`,
  renews: ({ user, account }, application, connection) =>
    html`${user} (${account}) bittet Sie, die Verbindung ${connection} zu ${application} zu erneuern.`,
  trust: (account) =>
    html`Fahren Sie nur fort, wenn Sie ${account} kennen. Beide Seiten können die Verbindung später entfernen.`,
  scopesTitle: (account) => html`Das kann ${account} dann`,
  scopesAtVendor: 'Welche Berechtigungen angefragt werden, sehen Sie dort, bevor Sie zustimmen.',
  moreScopes: (count) => `und ${count} weitere`,
  tested: (application) =>
    html`Ihre Angaben werden bei ${application} geprüft, bevor sie gespeichert werden.`,
  optional: '(optional)',
  choose: 'Bitte wählen …',
  connect: 'Verbinden',
  signInWith: (application) => `Mit ${application} anmelden`,
  helpLink: 'Seite öffnen, auf der Sie den Wert finden',
  cancel: 'Abbrechen',
  otherMethods: 'Andere Möglichkeiten',
  chooseTitle: 'Anwendung auswählen',
  chooses: ({ user, account }) =>
    html`${user} (${account}) bittet Sie, eine Anwendung zu verbinden, die Sie nutzen.`,
  searchLabel: 'Anwendungen durchsuchen',
  search: 'Suchen',
  noMatch: 'Keine Anwendung gefunden.',
  previousPage: 'Vorherige Seite',
  nextPage: 'Nächste Seite',
  allApplications: 'Alle Anwendungen',
  connected: (connection) => html`${connection} ist verbunden.`,
  done: 'Fertig',
  chooseOptionsTitle: (application) => `Fast geschafft: ${application}`,

  problemPrefix: 'Fehler: ',
  checkTitle: 'Bitte prüfen Sie Ihre Eingaben',
  checkText: 'Was nicht stimmt, steht bei den Feldern.',
  required: 'Dieses Feld muss ausgefüllt werden.',
  notAccepted: 'Dieser Wert wird nicht angenommen:',
  refusedTitle: 'Die Verbindung ist nicht zustande gekommen',
  refusedText: 'Angegebener Grund:',
  staleTitle: 'Bitte bestätigen Sie noch einmal',
  staleText: 'Die Seite war zu lange geöffnet, oder Ihr Browser blockiert Cookies.',

  completedTitle: 'Die Verbindung steht',
  cancelledTitle: 'Es wurde nichts verbunden',
  cancelledText: 'Sie haben abgebrochen.',
  withdrawnText: (account) => html`${account} hat diesen Link zurückgezogen.`,
  expiredTitle: 'Dieser Link ist abgelaufen',
  endedTitle: 'Dieser Link ist nicht mehr gültig',
  startAgain: 'Gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie von vorn.',
  goneTitle: 'Die Verbindung gibt es nicht mehr',
  goneText: (account) =>
    html`${account} oder Sie haben sie entfernt. Gehen Sie dorthin zurück, woher Sie kamen, und stellen Sie
    eine neue Verbindung her.`,
  limitTitle: 'Es sind keine weiteren Verbindungen möglich',
  limitText: (account) =>
    html`Sie haben so viele Verbindungen, wie ${account} erlaubt. Entfernen Sie dort eine davon und beginnen
    Sie von vorn.`,
  notOfferedTitle: 'Diese Anwendung wird nicht angeboten',
  notOfferedText: 'Sie kann hier nicht oder nicht mehr verbunden werden.',
  reopenTitle: 'Bitte öffnen Sie den Link noch einmal',
  reopenText:
    'Ihr Browser hat die Sitzung nicht behalten. Erlauben Sie Cookies für diese Website und öffnen Sie den Link erneut.',
  tryAgainTitle: 'Bitte versuchen Sie es noch einmal',
  tooManyText:
    'Aus Ihrem Netz wurden zu viele Seiten geöffnet. Laden Sie diese Seite in einigen Sekunden neu.',
  awayText: 'Ein Teil des Systems antwortet im Moment nicht.',
  failedTitle: 'Etwas ist schiefgegangen',
  failedText: 'Die Verbindung konnte nicht hergestellt werden.',
  formTitle: 'Dieses Formular kann nicht angenommen werden',
  reference: 'Kennung:',

  mayClose: 'Sie können dieses Fenster schließen.',
  closeWindow: 'Fenster schließen',
  returnTo: (host) => `Zurück zu ${host}`,

  signIn: {
    title: (application) => `${application} verbinden?`,
    asks: ({ user, account }, application, host) =>
      html`${user} (${account}) bittet Sie, ${application} zu verbinden. Sie melden sich bei ${host} an.`,
    defaultScopes: 'Angefragt wird, was die Anwendung von sich aus gewährt; Sie sehen es dort.',
    continueTo: (application) => `Weiter zu ${application}`,
    completedTitle: 'Sie sind angemeldet',
    completedText: (application) =>
      html`${application} hat die Anmeldung bestätigt. Sie können dieses Fenster schließen und dort
      weitermachen, woher Sie kamen.`,
    cancelledText: 'Sie haben die Anmeldung abgebrochen. Sie können dieses Fenster schließen.',
    failedTitle: 'Die Anmeldung ist nicht gelungen',
    brokenText: 'Die Anmeldung konnte nicht fortgesetzt werden. Beginnen Sie dort von vorn, woher Sie kamen.',
    endedTitle: 'Diese Anmeldung ist beendet',
    endedText:
      'Sie ist abgelaufen, wurde schon verwendet oder in einem anderen Browser begonnen. Gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie von vorn.',
    formText: 'Öffnen Sie die Adresse der Anmeldung noch einmal.',
  },
};
