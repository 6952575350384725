/**
 * Words of the field in four languages, one concept per line: English | German | Spanish | French. The first English word is the
 * catalogue's usual one. Accents are left out, `_` joins the words of a phrase, and `*` stands for any ending.
 */
export const GLOSSARY = `
# things of business
invoice bill bills charge receivable | rechnung* fakturier* berechn* | factur* recibo* cobrar | factur*
payment pay paid paying payout settle settlement charge | zahl* bezahl* begleich* | pago* pagar pagad* cobro* abon* | pay* paiement* regl* vers*
unpaid outstanding overdue | offen* unbezahlt* fallig* ausstehend* uberfallig* | pendiente* impagad* vencid* | impay* ouvert* echu*
refund reimburse money_back chargeback | erstatt* ruckerstatt* | reembols* devoluc* devolver | rembours*
customer client contact account buyer | kund* auftraggeber* | cliente* comprador* | client*
contact person people address_book | kontakt* person* adressbuch* ansprechpartner* | contacto* persona* agenda_de_contactos | contact* personne* carnet_d_adresses
company organization organisation business firm | firma firmen* unternehmen* organisation* | empresa* organizac* compan* | entreprise* societe* organisation*
lead prospect | interessent* lead* | prospecto* lead* | prospect*
deal opportunity sale sales pipeline | geschaft* verkauf* chance* abschluss* deal* | venta* oportunidad* negocio* trato* | vente* opportunit* affaire*
quote estimate offer proposal | angebot* kostenvoranschlag* | presupuest* cotizac* oferta* | devis offre*
order purchase | bestell* auftrag* einkauf* kauf* | pedido* orden* compra* | command* achat*
product item article goods | produkt* artikel* ware* | producto* articulo* | produit* article*
inventory stock warehouse | lager* bestand* inventar* | inventario* existencia* almacen* | stock* inventaire*
subscription recurring subscribe subscriber plan | abo abos abonn* | suscri* | abonn* souscri*
price cost rate fee | preis* kost* gebuhr* | precio* coste* costo* tarifa* | prix cout* tarif*
tax vat | steuer* mwst mehrwertsteuer* umsatzsteuer* | impuesto* iva | taxe* tva impot*
balance account_balance funds money cash | kontostand* saldo* guthaben* geld | saldo* dinero efectivo | solde* argent
bank bank_account account | bank* konto konten | banco* bancari* cuenta_bancaria cuenta* | banque* bancaire* compte*
transaction transactions purchases movement spending card_payments | transaktion* buchung* umsatz* kontobewegung* | transacc* movimiento* operacion* | transaction* operation* mouvement*
expense expenses spend | ausgabe* spesen auslage* | gasto* | depense* frais
income revenue profit profitable earnings profit_and_loss | einnahme* gewinn* ertrag* erlos* | ingreso* ganancia* beneficio* | revenu* benefice* recette*
balance_sheet assets liabilities own_and_owe | bilanz* | balance_general | bilan*
liability debt owe owed loan credit | schuld* verbindlichkeit* kredit* darlehen* | deuda* prestamo* | dette* emprunt* pret*
portfolio holding shares stocks investment invest | aktie* wertpapier* depot* anlage* | accion_bursatil inversion* cartera | portefeuille* placement* investiss*
supplier vendor | lieferant* | proveedor* | fournisseur*
contract agreement envelope document | vertrag* vertrage* vereinbarung* | contrato* acuerdo* | contrat* accord*
sign signature signed signing envelope esign docusign | unterschr* unterzeichn* signier* signatur* | firm* | signe* signature*
user employee staff colleague coworker teammate member person | mitarbeiter* kolleg* mitglied* nutzer* benutzer* | emplead* companer* colega* miembro* usuari* | employe* collegue* membre* utilisateur*
team group department | team* gruppe* abteilung* | equipo* grupo* departamento* | equipe* groupe* service
# messages
message post chat dm write note | nachricht* mitteilung* meldung* | mensaje* | message*
channel room space conversation chat_room group_chat | kanal* kanale* raum* chat* unterhaltung* | canal* sala* conversac* | canal* canaux salon* conversation* discussion*
email mail message emails mails e_mail inbox correspondence | email* e_mail* mail* posteingang* | correo* email* e_mail* bandeja_de_entrada | courriel* email* e_mail* mail* boite_de_reception
sms text text_message message | sms kurznachricht* | sms | sms texto*
phone call telephone dial ring calling phone_call | anruf* telefon* anzurufen | llam* telef* | appel* telephon*
phone_number number | telefonnummer* rufnummer* nummer* | numero* | numero*
reply answer respond response answers replies | antwort* beantwort* erwider* | respond* respuest* contest* | repond* repons*
comment remark feedback annotation review note | kommentar* kommentier* anmerk* bemerk* | coment* | comment*
reaction emoji react like thumbs_up | reagier* reaktion* emoji* gefallt* | reacc* emoji* gusta* | reagi* reaction* emoji* aime*
thread conversation replies | thread* verlauf* gesprach* | hilo* | fil fils
notification notify alert notifications | benachrichtig* hinweis* | notific* aviso* alerta* | notif* alerte*
newsletter campaign mailing marketing_email broadcast | newsletter* kampagne* rundschreiben* mailing* | boletin* campana* newsletter* lista_de_suscriptores | newsletter* campagne* lettre_d_information lettres_d_information infolettre*
mailing_list audience list subscribers contact_list | verteiler* mailingliste* abonnenten empfangerliste* | lista_de_correo lista_de_distribucion suscriptores audiencia* | liste_de_diffusion abonnes
unsubscribe opt_out mailing_list suppression | abmeld* abbestell* austrag* | baja darse_de_baja desuscri* | desabonn* desinscri*
open_rate statistics report opened clicks opens performance | statistik* auswertung* offnungsrate* bericht* report* kennzahl* | estadistic* informe* reporte* | statistique* rapport* bilan
bounce bounced undeliverable returned | unzustellbar* bounce* rucklaufer* | rebot* devuelt* | rebond* rejete*
template templates | vorlage* muster | plantilla* | modele* gabarit*
draft drafts | entwurf* entwurfe* | borrador* | brouillon*
vacation out_of_office away absence holiday autoreply auto_reply automatic_reply | abwesen* urlaub* | vacacion* ausenc* fuera_de_la_oficina respuesta_automatica | absen* vacances conge* reponse_automatique
filter rule sort_automatically sort_incoming | filter* regel* | filtr* regla* | filtr* regle*
label tag category mark labels | etikett* label* schlagwort* kategorie* markier* kennzeich* | etiquet* categor* marcar | etiquet* libelle* categor* marqu*
attachment attachments file | anhang* anhange* | adjunt* | piece_jointe pieces_jointes
unread | ungelesen* | no_leid* sin_leer | non_lu*
verification verify verification_code otp one_time_code login_code code 2fa | verifiz* bestatigungscode* einmalcode* prufcode* | verific* codigo* | verif* code_de_verification
# calendar and meetings
event appointment meeting calendar_event date booking calendar_entry | termin* ereignis* verabred* veranstalt* kalendereintrag* | cita* evento* | evenement* rendez_vous rdv
calendar schedule agenda | kalender* terminkalender* | calendario* agenda | calendrier* agenda*
meeting video_call call conference videoconference webinar zoom video_conference meet | besprech* meeting* videokonferenz* konferenz* videoanruf* sitzung* treffen | reunion* videollamada* videoconferencia* conferencia* | reunion* visio* videoconference* conference*
participant attendee attended attendance attend guest invitee who_was_there | teilnehm* anwesen* gast gaste | asist* participant* invitad* | particip* invite* presen*
transcript minutes summary notes what_was_said said recap | protokoll* mitschrift* transkript* zusammenfass* | transcri* acta* resumen* | transcri* compte_rendu proces_verbal resume*
recording record recorded watch listen | aufzeichn* aufnahme* mitschnitt* | grabac* grabad* | enregistrements enregistrement
free busy availability available free_time free_slot | frei* verfugbar* belegt | libre* disponib* ocupad* | libre* disponib* occupe*
reschedule move postpone another_day change_date update | verschieb* verleg* | aplaz* reprogram* posponer mover | report_er deplac* decal* repouss*
schedule create plan later send_later tomorrow timed | plan* terminier* spater | program* planific* | planifi* programm*
webinar | webinar* | webinar* seminario_web | webinair*
registration register sign_up registrant enroll enrol | anmeld* registrier* | inscri* registrarse | inscri* enregistrer_a
time hours worklog log_work time_spent log_hours | zeit* arbeitszeit* stunde* aufwand* | hora* tiempo* | heure* temps
# tasks and projects
task todo to_do tasks action_item chore reminder | aufgabe* todo* to_do* erinner* | tarea* pendiente* recordatorio* | tache* rappel*
issue ticket bug bug_report defect problem error incident fault | ticket* fehler* problem* vorgang* storung* bug* anliegen* | incidencia* ticket* error* problema* fallo* bug* | ticket* bug* bogue* anomalie* incident* probleme* erreur* signal*
subtask child_task smaller split | unteraufgabe* teilaufgabe* | subtarea* | sous_tache*
project projects | projekt* | proyecto* | projet*
board kanban kanban_board | board* tafel* kanban* | tablero* | tableau* tableaux
card cards | karte* | tarjeta* ficha* | carte* fiche*
checklist check_item check_list | checkliste* prufliste* | lista_de_verificacion lista_de_control checklist* | liste_de_controle checklist*
sprint cycle iteration milestone | sprint* meilenstein* zyklus* | sprint* hito* ciclo* | sprint* jalon* cycle*
deadline due_date due until end_date | frist* fallig* deadline* | fecha_limite plazo* vencimiento* | echeance* date_limite delai*
assign assignee assigned hand_over responsible delegate mine my_tasks assigned_to_me | zuweis* zuordn* zustandig* ubertrag* | asign* responsable* | assign* attribu* responsable*
status state progress on_track transition how_far | status* stand fortschritt* zustand* | estado* progreso* avance* | statut* etat* avancement* progres*
complete finish end done finished close resolve tick_off check_off won update | erledig* abschlie* abgeschlossen* fertig* abhak* schlie* beend* | complet* termin* cerr* finaliz* acab* | termin* complet* clotur* fini* ferm* achev*
link blocks relate depends block connection | verknupf* verbind* blockier* | vincul* enlaz* bloque* relacion* | li_er relie* bloqu*
priority urgent important | prioritat* dringend* wichtig* | priorid* urgente* | priorit* urgent*
watch follow watcher follower subscribe | folg* beobacht* | segui* | suiv* suivre
# code
commit change changed history | commit* anderung* | commit* cambio* | commit* modification*
repository repo code_base codebase project | repository* repo* | repositorio* repo* | depot* referentiel*
pull_request merge_request code_change code_changes changes proposal pr code_review | pull_request* merge_request* anderungsvorschlag* | pull_request* solicitud_de_cambios solicitud_de_extraccion | pull_request* merge_request* demande_de_tirage demande_de_fusion
merge accept integrate | zusammenfuhr* merge* | fusion* | fusionn*
review reviewer approve look_at request_review | uberpruf* begutacht* review* genehmig* freigeb* | revis* aprob* | revue* relecture* approuv* valid* relire
reject decline refuse deny request_changes | ablehn* zuruckweis* | rechaz* | refus* rejet*
branch branches | branch* zweig* | rama* | branche*
release version tag launch release_notes | release* version* veroffentlichung* | lanzamiento* version* | version* publication*
fork copy_repository | fork* abspalt* | bifurc* fork* | fork* bifurqu*
code source function snippet source_code gist | code* quellcode* | codigo* | code*
file_contents readme | readme* liesmich* | leeme readme | lisezmoi readme
workflow pipeline build ci ci_pipeline job run action | pipeline* build* workflow* lauf* | pipeline* compilac* flujo* | pipeline* build* workflow* compil*
deploy deployment publish build release go_live ship rollout put_online | deploy* bereitstell* veroffentlich* ausroll* ausliefer* | despleg* despliegue* public* | deploi* publi* mise_en_ligne
rollback roll_back restore revert earlier_release previous_version promote undo | zurucksetz* zuruckroll* | revert* restaur* volver_atras | revenir restaur* annul*
logs log output build_logs | protokolle logs logdatei* | registros logs | journaux logs
server virtual_machine vm droplet instance machine compute host | server* maschine* rechner* | servidor* maquina* instancia* | serveur* machine* instance*
restart reboot rerun retry run_again start_again | neu_start* neustart* neu_zu_starten | reinici* reintent* | redemarr* relanc* reessay*
environment_variable secret setting env config variable | umgebungsvariable* geheimnis* variable* | variable* secreto* | variable* secret*
domain dns domain_name dns_record hostname | domain* dns* | dominio* dns | domaine* dns
website site web_page homepage page web_site | website* webseite* internetseite* homepage* | sitio* web pagina_web | site* web
monitor uptime check health outage | uberwach* | monitor* superv* | surveill*
incident outage on_call alert | storfall* ausfall* bereitschaft* | incidente* guardia | incident* panne* astreinte*
# files
file document doc attachment | datei* dokument* | archivo* fichero* documento* | fichier* document*
folder directory | ordner* verzeichnis* | carpeta* directorio* | dossier* repertoire*
upload store put save_file | hochlad* hoch_lad* ablegen | sub* cargar | televers* charger envoyer_un_fichier mettre_en_ligne
download save fetch export | herunterlad* runterlad* download* | descarg* bajar | telecharg*
share access give_access permission collaborator invite let_see sharing_link | teil* freigeb* freigabe* zugriff* | compart* acceso* permis* | partag* acces* autoris*
permission collaborator member access who_can who_may who_has_access can_see may_see allowed_to | wer_kann wer_darf zugriffsrecht* | quien_puede | qui_peut
unshare stop_sharing revoke remove_access | entzieh* freigabe_entfernen | dejar_de_compartir revocar | revoqu* arreter_le_partage
restore undelete recover get_back bring_back trash | wiederherstell* zuruckhol* | recuper* restaur* | restaur* recuper*
deleted trash bin trashed erase throw_away | geloscht* papierkorb* | borrad* eliminad* papelera* | supprime corbeille*
version revision history previous_versions | version* fassung* | version* revision* | version* revision*
copy duplicate clone | kopier* duplizier* | copi* duplic* | copi* dupliqu*
pdf export convert save_as | pdf* export* umwandl* konvertier* | pdf export* convert* | pdf export* convert*
spreadsheet sheet table rows cells worksheet | tabelle* tabellenkalkulation* arbeitsblatt* | hoja_de_calculo hojas_de_calculo hoja* | feuille_de_calcul feuilles_de_calcul tableur* feuille*
row rows line record records entry | zeile* datensatz* datensatze* | fila* registro* renglon* | ligne* enregistrement*
cell cells values range column columns | zelle* wert werte spalte* | celda* valor* columna* | cellule* valeur* colonne*
page wiki wiki_page article knowledge_base note | seite* wiki* | pagina* wiki* | page* wiki*
paragraph text block write append content | absatz* text* block* inhalt* | parrafo* texto* bloque* contenido* | paragraphe* texte* bloc* contenu*
presentation slides slide_deck slide deck | prasentation* folie* | presentac* diapositiva* | presentation* diapositive* diapo*
form survey questionnaire poll quiz | formular* umfrage* fragebogen* | formulario* encuesta* cuestionario* | formulaire* sondage* enquete* questionnaire*
image picture photo screenshot | bild* foto* | imagen* foto* | image* photo*
database data_warehouse sql query table data | datenbank* daten* abfrag* | base_de_datos datos | base_de_donnees bases_de_donnees donnees
query sql question select | abfrag* sql | consult* sql | interrog* requete* sql
column columns schema structure describe | spalte* schema struktur* | columna* esquema* | colonne* schema*
backup snapshot backups | sicherung* backup* | copia_de_seguridad copias_de_seguridad respaldo* | sauvegarde*
# media and web
song track music tune | lied* song* musik* titel | cancion* musica* tema | chanson* musique* morceau* titre
playlist | wiedergabeliste* playlist* | lista_de_reproduccion listas_de_reproduccion playlist* | liste_de_lecture playlist*
play start playback | abspiel* spiel* wiedergabe* | reproduc* | jouer lecture lire
pause stop hold | pausier* anhalt* stopp* pause* | paus* parar deten* | paus* arret* stop*
next skip following | nachst* uberspring* | siguiente* saltar | suivant* prochain*
previous back last | vorherig* zuruck | anterior* | precedent*
volume music_down music_up loud quiet louder turn_down turn_up | lautstarke* lauter leiser | volumen | volume
artist band singer musician | kunstler* band* sanger* | artista* banda* cantante* | artiste* groupe_de_musique chanteu*
album | album* alben | album* disco* | album*
video clip film movie | video* film* | video* pelicula* | video* film*
podcast show episode | podcast* folge* sendung* | podcast* episodio* | podcast* episode*
visitor visits page_views traffic website_visitors sessions analytics users | besuch* seitenaufruf* zugriffszahl* | visita* visitante* trafico | visite* trafic visiteur*
realtime right_now live now current | echtzeit* gerade jetzt aktuell* | tiempo_real ahora actual* | temps_reel maintenant en_direct
advertisement ad ads campaign advertising | anzeige* werbung* | anuncio* publicidad* | annonce* publicite*
image_generation generate | erzeug* generier* | gener* | gener*
translate translation | ubersetz* | traduc* traduz* | tradui* traduct*
summarize summary | zusammenfass* | resum* | resum*
# education
student pupil learner | schuler* student* | alumn* estudiante* | eleve* etudiant*
teacher | lehrer* | profesor* maestr* | professeur* enseignant*
homework assignment course_work coursework exercise work submission | hausaufgabe* arbeit arbeiten ubung* | deberes trabajo* | devoir* travail travaux
grade mark score grading | benot* note noten bewert* | calific* nota* evalu* puntu* | noter note notes evalu*
course class lesson | kurs* klasse* unterricht* | curso* clase* | cours classe*
announcement announce tell_everyone tell_all | ankundig* bekanntgabe* | anunci* comunicado* | annonc*
# helpdesk, people, commerce
support ticket help_request case | support* hilfe* anfrage* fall | soporte* caso* ayuda | support assistance cas aide
shipment shipping delivery fulfillment parcel | versand* sendung* liefer* paket* | envio* entrega* paquete* | expedition* livraison* colis
cart basket checkout | warenkorb* | carrito* | panier*
discount coupon voucher promo | rabatt* gutschein* | descuento* cupon* | remise* reduction* coupon*
profile account whoami me myself who_am_i signed_in | profil* wer_bin_ich | perfil* quien_soy | profil* qui_suis_je
password credential key | passwort* kennwort* schlussel* | contrasena* clave* | mot_de_passe cle*
location address place | ort* adresse* standort* | direccion* lugar* ubicac* | adresse* lieu* emplacement*
weather forecast | wetter* vorhersage* | tiempo_atmosferico clima pronostico* | meteo previsions
# operations
oncall on_call on_duty duty standby pager rota | bereitschaft* rufbereitschaft* dienstplan* dienst | guardia* de_guardia | astreinte* d_astreinte de_garde
override swap take_over cover_for stand_in_for shift shifts | tausch* vertret* schicht* | intercambi* sustitu* turno* | remplac* echang*
acknowledge ack seen working_on_it take_care_of | quittier* | acusar reconoc* | acquitt* prendre_en_charge
silence snooze mute downtime quiet be_quiet | stumm* stummschalt* | silenci* | silenc* muet* mettre_en_sourdine
maintenance planned_downtime maintenance_window upcoming_maintenance | wartung* | mantenimiento* | maintenance*
metric metrics measurement cpu_usage memory_usage load_average time_series | messwert* metrik* auslastung* | metrica* | metrique*
dashboard dashboards | dashboard* | panel_de_control dashboard* | tableau_de_bord tableaux_de_bord
scale formation more_machines more_instances more_servers resize | skalier* | escalar escalad* | mise_a_l_echelle redimension*
purge clear empty flush wipe | leer* | vaci* | vider vide purg*
subscriber subscribers followers | abonnent* | suscriptor* | abonne*
escalate escalation | eskalier* eskalation* | escalar escalad* | escalad*
# money on its way
payout settlement payouts settlements money_arrives | auszahl* | desembols* liquidac* | versement* reversement*
dispute chargeback disputes contest contested claim | ruckbuch* anfecht* reklam* | disput* contracargo* | litige* contest*
transfer send_money wire remit | uberweis* | transferenc* giro | virement*
rate rates exchange_rate exchange_rates currency currencies convert_money | wechselkurs* wahrung* | tipo_de_cambio divisa* moneda* | taux_de_change devise*
remind reminder reminders chase nudge dunning | mahn* erinner* | recordar recordatorio* | relanc* rappel*
mandate direct_debit | lastschrift* mandat* | domiciliac* mandato* | prelevement* mandat*
credit_note credit_memo | gutschrift* | nota_de_credito notas_de_credito | avoir avoirs note_de_credit
payment_link pay_page link_to_pay pay_by_link | zahlungslink* bezahllink* | enlace_de_pago link_de_pago | lien_de_paiement
stored_card saved_card card_on_file payment_method | gespeicherte_karte zahlungsmittel | tarjeta_guardada | carte_enregistree moyen_de_paiement
abandoned left_without_buying abandoned_cart | abgebrochen* verlassen* | abandonad* | abandonn*
tracking track_a_package parcel_is where_is_my_parcel shipment_status | sendungsverfolg* verfolg* | rastre* seguimiento* | suivi*
shipping_label postage | versandetikett* versandschein* porto | etiqueta_de_envio | etiquette_d_expedition bordereau*
top_sellers best_sellers best_selling | bestseller* meistverkauft* | mas_vendid* | plus_vendus meilleures_ventes
# accounts of people
suspend deactivate disable block lock_out | sperr* deaktivier* | bloque* suspend* desactiv* | bloqu* suspen* desactiv*
unlock unsuspend activate unblock | entsperr* freischalt* | desbloque* | debloqu*
reset forgot_password forgotten_password lost_password | zurucksetz* | restablec* | reinitialis*
sessions session log_out sign_out log_off sign_off | ausloggen abmeld* sitzungen | cerrar_sesion sesion* | deconnect* session*
merge duplicate duplicates combine join_two same_person | dublette* doppelt* zusammenfuhr* | duplicad* fusion* | doublon* fusionn*
# analytics and intelligence
funnel funnels drop_out drop_off give_up conversion | trichter* absprung* | embudo* abandono | entonnoir* tunnel*
retention come_back come_again stay_with_us | wiederkehr* bindung* | retenc* vuelven | retention fidel*
flag feature_flag feature_toggle roll_out_to turn_on_for | feature_flag* funktionsschalter* | feature_flag* | feature_flag*
experiment ab_test split_test | experiment* | experimento* | experience*
speech read_aloud read_out say_aloud voice spoken | sprachausgabe* vorles* vorlesen | voz leer_en_voz_alta | voix lire_a_voix_haute a_voix_haute
transcribe transcription write_down_what_is_said speech_to_text audio_into_text | transkrib* verschriftlich* | transcrib* | transcri*
embeddings embed vectors vector similar_by_meaning | vektor* | vector* | vecteur*
moderate offensive hateful harmful toxic | moderier* anstossig* | moder* ofensiv* | moder* offens*
detect_language which_language what_language | sprache_erkennen welche_sprache | que_idioma detectar_idioma | quelle_langue detecter_la_langue
presence online_now is_online at_the_desk | anwesenheitsstatus erreichbar* | conectad* | en_ligne joignable
ban kick_out throw_out kick | rauswerf* hinauswerf* | expuls* | exclu* expuls*
vulnerability vulnerabilities vulnerable security_hole security_holes cve issues | sicherheitslucke* schwachstelle* | vulnerab* | vulnerab* faille*
# verbs
create add new make open set_up start put register record build raise submit | meld* erstell* anleg* anzuleg* hinzuf* hinzuzuf* neu* eintrag* einricht* aufnehm* erfass* | informar reportar crea* anad* agreg* nuev* abrir dar_de_alta registr* poner hacer | signaler cree* creer ajout* nouv* ouvr* enregistr* mettre
get show list read fetch see view look_up retrieve display open check | zeig* anzeig* les* lesen abruf* abfrag* anseh* einseh* | ver mostrar leer obten* consult* mira* | voir affich* lire obten* recuper* consult*
list all get search which show overview what_are | liste* auflist* alle* ubersicht* welche | lista* listar todos todas cuales | liste* lister tous toutes quels quelles
search find list get look_for lookup locate query discover | such* find* durchsuch* | busc* encontr* localiz* | cherch* recherch* trouv*
update change edit modify set fix correct rename adjust correction typo | ander* aktualisier* bearbeit* setz* korrigier* umbenenn* anpass* | actualiz* cambi* modific* edit* correg* renombr* | modif* mettre_a_jour mis_a_jour chang* corrig* renomm* edit*
delete remove erase cancel drop discard throw_away take_off take_back | losch* entfern* stornier* absag* | elimin* borr* quit* cancel* anul* suprim* | supprim* effac* enlev* retir* annul*
send deliver post write forward email publish share | send* schick* verschick* versend* schreib* poste* | envi* mand* public* escrib* | envo* publi* ecri* poste* expedi*
move transfer shift drag relocate | verschieb* beweg* | mover mueve traslad* | deplac* boug* transfer*
cancel stop withdraw abort void call_off end hang_up | abbrech* stopp* zuruckzieh* absag* beend* stornier* | cancel* deten* retir* par* | annul* arret* retir* interromp*
start run trigger launch execute begin | start* ausfuhr* ausloser* | inici* ejecut* lanz* arranc* | demarr* lanc* execut*
invite add bring enrol join member | einlad* aufnehm* | invit* | invit*
archive hide | archivier* | archiv* | archiv*
import load | importier* | import* | import*
count number how_many total sum | anzahl zahl* wie_viele | cuantos cuantas numero_de contar | combien nombre compt*
recent latest last newest | letzt* neuest* | ultim* reciente* | dernier* recent*
approve accept confirm | genehmig* annehm* bestatig* | aprob* acept* confirm* | approuv* accept* confirm*
buy rent order acquire | kauf* miet* | compr* alquil* | achet* lou*
`;
