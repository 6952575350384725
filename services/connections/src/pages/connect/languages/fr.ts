import { html } from '@fairlead/pages/html';
import type { Messages } from './messages.ts';

/** French. */
export const fr: Messages = {
  connectTitle: (application) => `Connecter ${application}`,
  asks: ({ user, account }, application) =>
    html`${user} (${account}) vous demande de connecter ${application}.`,
  renewTitle: (application) => `Reconnecter ${application}`,
  renews: ({ user, account }, application, connection) =>
    html`${user} (${account}) vous demande de renouveler la connexion ${connection} à ${application}.`,
  trust: (account) =>
    html`Ne continuez que si vous connaissez ${account}. Chacun de vous peut supprimer la connexion plus tard.`,
  scopesTitle: (account) => html`${account} pourra`,
  scopesAtVendor: 'Les autorisations demandées s’affichent sur place, avant que vous n’acceptiez.',
  moreScopes: (count) => `et ${count} de plus`,
  tested: (application) =>
    html`Vos informations sont vérifiées auprès de ${application} avant d’être enregistrées.`,
  optional: '(facultatif)',
  choose: 'Choisir…',
  connect: 'Connecter',
  signInWith: (application) => `Se connecter avec ${application}`,
  helpLink: 'Ouvrir la page où le trouver',
  cancel: 'Annuler',
  otherMethods: 'Autres moyens de connexion',
  chooseTitle: 'Choisissez une application',
  chooses: ({ user, account }) =>
    html`${user} (${account}) vous demande de connecter une application que vous utilisez.`,
  searchLabel: 'Rechercher une application',
  search: 'Rechercher',
  noMatch: 'Aucune application ne correspond.',
  previousPage: 'Page précédente',
  nextPage: 'Page suivante',
  allApplications: 'Toutes les applications',
  connected: (connection) => html`La connexion ${connection} est établie.`,
  done: 'Terminer',
  chooseOptionsTitle: (application) => `Dernière étape : ${application}`,

  problemPrefix: 'Erreur : ',
  checkTitle: 'Vérifiez votre saisie',
  checkText: 'Les erreurs sont indiquées à côté des champs.',
  required: 'Ce champ est obligatoire.',
  notAccepted: 'Cette valeur n’est pas acceptée :',
  refusedTitle: 'La connexion a échoué',
  refusedText: 'Raison indiquée :',
  staleTitle: 'Veuillez confirmer de nouveau',
  staleText: 'La page est restée ouverte trop longtemps ou votre navigateur bloque les cookies.',

  completedTitle: 'La connexion est établie',
  cancelledTitle: 'Aucune connexion n’a été établie',
  cancelledText: 'Vous avez annulé.',
  withdrawnText: (account) => html`${account} a annulé ce lien.`,
  expiredTitle: 'Ce lien a expiré',
  endedTitle: 'Ce lien n’est plus valable',
  startAgain: 'Retournez d’où vous venez et recommencez.',
  goneTitle: 'Cette connexion n’existe plus',
  goneText: (account) =>
    html`${account} ou vous-même l’avez supprimée. Retournez d’où vous venez et créez une nouvelle connexion.`,
  limitTitle: 'Vous ne pouvez pas ajouter de connexion',
  limitText: (account) =>
    html`Vous avez atteint le nombre de connexions autorisé par ${account}. Supprimez-en une, puis
    recommencez.`,
  notOfferedTitle: 'Cette application n’est pas proposée',
  notOfferedText: 'Elle ne peut pas, ou plus, être connectée ici.',
  reopenTitle: 'Veuillez rouvrir le lien',
  reopenText:
    'Votre navigateur n’a pas conservé la session. Autorisez les cookies pour ce site, puis rouvrez le lien.',
  tryAgainTitle: 'Veuillez réessayer',
  tooManyText:
    'Trop de pages ont été ouvertes depuis votre réseau. Rechargez cette page dans quelques secondes.',
  awayText: 'Une partie du système ne répond pas pour le moment.',
  failedTitle: 'Une erreur s’est produite',
  failedText: 'La connexion n’a pas pu être établie.',
  formTitle: 'Ce formulaire ne peut pas être accepté',
  reference: 'Référence :',

  mayClose: 'Vous pouvez fermer cette fenêtre.',
  closeWindow: 'Fermer la fenêtre',
  returnTo: (host) => `Retourner à ${host}`,

  signIn: {
    title: (application) => `Connecter ${application} ?`,
    asks: ({ user, account }, application, host) =>
      html`${user} (${account}) vous demande de connecter ${application}. Vous vous identifiez sur ${host}.`,
    defaultScopes:
      'Sont demandées les autorisations que l’application accorde par défaut ; vous les y verrez.',
    continueTo: (application) => `Continuer vers ${application}`,
    completedTitle: 'Vous êtes identifié',
    completedText: (application) =>
      html`${application} a autorisé la connexion. Vous pouvez fermer cette fenêtre et continuer là d’où vous
      venez.`,
    cancelledText: 'Vous avez annulé l’identification. Vous pouvez fermer cette fenêtre.',
    failedTitle: 'L’identification n’a pas abouti',
    brokenText: 'L’identification n’a pas pu continuer. Recommencez là d’où vous venez.',
    endedTitle: 'Cette identification est terminée',
    endedText:
      'Elle a expiré, a déjà servi ou a commencé dans un autre navigateur. Retournez d’où vous venez et recommencez.',
    formText: 'Ouvrez de nouveau l’adresse de l’identification.',
  },
};
