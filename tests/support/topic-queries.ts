import type { Intent } from '../../src/core/query.ts';

/** Three hundred queries in four languages, and what each is about. Every eighth of them is a mix of all. */
export const TOPIC_QUERIES: Record<Intent, string> = {
  general: `
how long to boil eggs
where can I buy fresh yeast
gluten free pizza near me
air fryer chicken thighs recipe
which vacuum cleaner is best for dog hair
is it worth refinancing my car loan right now
grant programmes for heat pumps in Ireland
tesla model y review
how can I save money on groceries
minimum wage california 2026
what time does the post office close on saturday
how to get red wine out of carpet
netflix subscription cost
kindergarten halloween craft ideas
good restaurants for a birthday dinner in chicago
comparison of electric family cars with seven seats
yoga mat thickness guide
how much does it cost to repaint a bedroom
best noise cancelling headphones under 200
taylor swift tour dates
wetter hamburg wochenende
Fördermittel für Photovoltaik in Bayern
geschenke zum 60 geburtstag
hotel am bodensee mit hund
waschmaschine schleudert nicht
wann kommt die neue staffel
Erfahrungen mit Carsharing in Köln
was kostet ein reisepass
stromanbieter wechseln vergleich
spargel kochen wie lange
wie pflege ich orchideen
elterngeld antrag ausfüllen
ikea pax schrank aufbauen
beste kaffeemaschine mit mahlwerk test
bahn preise sparticket
darf der vermieter die miete erhöhen
öffnungszeiten bürgeramt neukölln
rezept kartoffelsuppe
wo kann ich in münchen günstig parken
laufschuhe für breite füße
hôtel pas cher barcelone centre
pneus neige obligatoires
comment enlever une tache de vin
avis sur les salles de sport à lille
quelle couleur pour une petite chambre
qui a gagné le match hier soir
quel vélo électrique choisir pour aller au travail
à quelle heure ferme la mairie
renouvellement passeport délai
comment résilier mon abonnement mobile
quand planter les tomates
calendrier vacances scolaires
lettre de motivation alternance
horaires piscine municipale
où manger une bonne pizza à toulouse
faut-il laver le riz avant de le cuire
appartement à louer nantes
programme tv ce soir
numéro du service client de la poste
classement ligue 1
qué bicicleta eléctrica me compro
dónde comer buen pulpo en santiago
qué hacer en granada con niños
horario supermercado domingo
mejor freidora de aire
regalos para el día de la madre
tiempo en sevilla mañana
clasificación de la liga
lavadora no centrifuga
a qué hora cierra correos
coche segunda mano seat león
qué móvil comprar por menos de 300 euros
cómo hago la declaración de la renta
opiniones de gimnasios en bilbao
seguro de hogar comparativa
dónde encuentro un fontanero de urgencia
hotel barato cerca del retiro
precio de la luz hoy
puedo llevar a mi perro en el avión
receta tortilla de patatas`,
  encyclopaedia: `
what is the origin of the word algebra
in what year did the titanic sink
marie curie nobel prize
byzantine empire
why did the roman empire fall
platypus
what does the term habeas corpus mean
who wrote the national anthem of france
baroque architecture
dreißigjähriger krieg
welche sprache spricht man in brasilien
wer war die erste bundeskanzlerin
Geschichte der Stadt Nürnberg im Mittelalter
neandertaler
warum brach der erste weltkrieg aus
woher stammt das wort demokratie
wer hat den buchdruck erfunden
napoléon bonaparte biographie
combien d'habitants compte la belgique
quel est le plus grand lac d'afrique
pourquoi l'empire romain est-il tombé
art nouveau
en quelle année a eu lieu la bataille de marignan
quelle langue parle-t-on au mozambique
aconcagua altura
cuál es el país más grande de áfrica
arquitectura gótica
río ebro longitud
tratado de tordesillas
quién fue hernán cortés
dónde nació frida kahlo
who was the first woman in space
weimarer republik`,
  programming: `
why is my css grid overflowing its container
difference between Box<dyn Trait> and impl Trait return type
sql left join vs inner join
java.lang.NullPointerException at com.example.Main.main(Main.java:14)
kubectl rollout undo to specific revision
what is the difference between let and var
typescript generic constraint keyof
react useeffect runs twice
c++ std::vector erase while iterating
Angular Formular Validierung asynchron
wie greife ich in react auf den vorherigen state zu
Spring Boot Bean wird nicht injiziert NoSuchBeanDefinitionException
Python Umgebung mit venv unter Windows aktivieren
was ist der unterschied zwischen einer klasse und einem objekt in java
warum wird mein css nicht geladen
wie lese ich eine csv datei in pandas ein
wie mache ich einen http request in go
erreur cannot find module node
quelle est la différence entre == et equals en java
comment gérer les exceptions en kotlin
comment passer un tableau à une fonction en c++
centrer une div en css
comment inverser une liste en c
Symfony service non trouvé dans le conteneur autowiring
cómo leer un archivo línea por línea en python
unir dos dataframes pandas
recorrer array en javascript
cómo invertir una lista en c
consulta recursiva CTE en PostgreSQL
cómo pasar un vector a una función en c++
error cannot find module node
how to convert string to int in java`,
  software: `
PyPI package for reading parquet without pyarrow
GitHub repository for the Model Context Protocol TypeScript SDK
what are the alternatives to redis since the licence change
react component library with dark mode
latest release of ripgrep
crates.io async http client
vscode extension vim mode
active fork of the abandoned request npm package
python library for pdf extraction
passwortmanager selbst hosten
rust bibliothek xml parser
open source alternative zu photoshop
ist das projekt auf github noch aktiv gepflegt
welche frameworks gibt es für desktop anwendungen in rust
python bibliothek für diagramme
Python Paket zum Auslesen von Zählerständen
docker image für nextcloud
extension vscode pour latex
paquet npm pour lire des fichiers excel
alternative libre à photoshop
quels frameworks permettent de faire une application de bureau en rust
outil en ligne de commande pour compresser des images
image docker pour wordpress
quelle bibliothèque utiliser pour générer des pdf en node
comparación de Vite y Webpack para proyectos grandes
repositorio GitHub de modelos de lenguaje en español
paquete npm para leer excel
alternativa libre a Docker Desktop en macOS
herramienta de línea de comandos para comprimir imágenes
cuál es la última versión de nodejs
librería python para gráficos`,
  science: `
recent research on high temperature superconductivity in nickelates
perovskite solar cell degradation mechanism
attention is all you need citations
bibliography on causal inference with instrumental variables
what papers study sparse attention for long documents
reinforcement learning from human feedback paper
gravitational wave binary neutron star merger
monte carlo tree search convergence proof
topological insulators review
welche studien gibt es zum einfluss von lärm auf vögel
wie wird dunkle materie experimentell nachgewiesen
welche forschung gibt es zu neuronalen netzen auf graphen
meta-analyse homeoffice produktivität
Veröffentlichungen zur Tragfähigkeit von Holz-Beton-Verbunddecken
klimamodelle unsicherheit wolken
systematische Übersichtsarbeit zu kognitiver Verhaltenstherapie per App
wer hat das paper über variational autoencoder geschrieben
cellules solaires pérovskite dégradation
méta-analyse télétravail productivité
réseaux de neurones sur graphes
doi 10.1051/0004-6361/201833910
supraconductivité haute température publication
batteries lithium soufre électrolyte
étude microplastiques sédiments marins
entrelazamiento cuántico experimento
celdas solares de perovskita degradación
redes neuronales de grafos
hay artículos recientes sobre la materia oscura
qué investigadores propusieron los autocodificadores variacionales
qué dice la literatura científica sobre el salario mínimo
aprendizaje por refuerzo artículo de investigación`,
  medicine: `
symptoms of iron deficiency
is melatonin safe for children
prevalence of long covid fatigue cohort study
statin muscle pain mechanism
ssri withdrawal duration
metformin side effects long term
how is celiac disease diagnosed
atrial fibrillation anticoagulation guidelines
mrna vaccine myocarditis incidence
Dosierung von Amoxicillin bei Kindern
cortison langzeitfolgen
eisenmangel in der schwangerschaft
symptome schilddrüsenunterfunktion
darmkrebs früherkennung
metformin nebenwirkungen
borreliose nachweis
Kontraindikationen von Betablockern bei Asthma
contre-indications des bêtabloquants chez l'asthmatique
effets secondaires metformine
dépistage cancer colorectal
peut-on prendre du paracétamol en allaitant
zona contagion durée
hypertension traitement recommandations
hernie discale opération
hipertensión tratamiento guía clínica
cuánto tiempo es contagiosa la gripe
cómo se diagnostica la esclerosis múltiple
antibiótico infección urinaria
síntomas déficit de hierro
es peligrosa la melatonina para los niños
hipotiroidismo dosis`,
  books: `
books similar to the secret history
discworld reading order
dune first edition publisher
is there a hardcover edition of the silmarillion
author of the master and margarita
the name of the wind sequel
paperback editions of moby dick
isbn 9780141439518
English translations of Murakami novels
krimis aus skandinavien taschenbuch
Gesamtausgabe der Werke von Hannah Arendt
wie viele seiten hat krieg und frieden
welches buch soll ich nach tintenherz lesen
die buddenbrooks verlag
kinderbuch über einen drachen
wer schrieb der steppenwolf
in welchem verlag erschien die blechtrommel
auteur du comte de monte-cristo
de quoi parle le roman la peste
album jeunesse sur les dragons
édition originale les fleurs du mal
quand est sorti le premier tome de harry potter
quelle traduction de don quichotte choisir
tome 3 de la saga millénium
resumen del libro la colmena
editorial de cien años de soledad
autor de la sombra del viento
qué libro leer después de el principito
isbn 978-84-376-0494-7
novela negra nórdica bolsillo
qué traducción de la odisea elegir`,
  security: `
OSV advisories for the PyPI package requests
affected releases of Apache Tomcat for the partial PUT remote code execution
how severe is the regresshion bug
xz backdoor which versions
has the axios ssrf vulnerability been fixed
zero day in ivanti vpn
mitigation for Spectre style side channel in the browser
is express 4.17 vulnerable
remote code execution apache struts
schadcode in npm paket
exploit für citrix netscaler
pufferüberlauf libwebp
Angriffe auf die Lieferkette von PyPI Paketen
kritische lücke fortinet
schwachstelle in openssl
bsi warnung sicherheitslücke
sql injection joomla erweiterung
exécution de code à distance apache
quelles versions de spring sont vulnérables
vulnérabilité critique openssl
correctif de sécurité wordpress
quels paquets sont touchés par cette faille
la faille dans curl est-elle corrigée
exploit exchange server
alerta incibe fortinet
inyección sql extensión joomla
hay parche para la vulnerabilidad de citrix
está corregido el fallo de curl
parche de seguridad wordpress
exploit exchange server
sigue siendo segura esta versión de jquery`,
};
