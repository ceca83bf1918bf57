"""What programs that know other geocoders send, word for word, and whether the answer has what each of them reads.

Traccar's two geocoders, the gem that Dawarich asks with, GeoPulse's two clients, and Leaflet's control. Which parameters
and headers they send, and which members they read, was taken from their sources in November 2026.
"""
import json
import urllib.request

from program_checks.parts import part

PLACES = [((33.7557, -84.3750), "Atlanta", "Georgia"), ((36.1627, -95.9862), "Tulsa", "Oklahoma")]
SEA = (-40.0, -120.0)
BROWSER = {"Accept": "application/json", "Origin": "https://map.example.org"}


@part()
def geocoder_requests(here):
    """Answers the requests of Traccar, Dawarich, GeoPulse and Leaflet's control with what they read."""
    with here.serving("--database", "places.db", "--rate-limit", "0") as (address, _):
        for position, city, state in PLACES:
            for client in (traccar, dawarich, geopulse, leaflet):
                client(Asking(here, address, client.__name__), position, city, state)
        nowhere(here, address)


class Asking:
    """Sends what a client sends, and counts what is wrong with the answer under the client's name."""

    def __init__(self, here, address, client):
        self.here, self.address, self.client = here, address, client

    def get(self, path, headers=None):
        request = urllib.request.Request(self.address + path, headers=headers or {})
        with urllib.request.urlopen(request, timeout=30) as answer:
            self.check(answer.status == 200 and "json" in answer.headers["Content-Type"], path, answer.headers["Content-Type"])
            self.allowed = answer.headers["Access-Control-Allow-Origin"]
            return json.load(answer)

    def check(self, is_right, what, more=""):
        self.here.check(is_right, f"{self.client}: {what}", more)


def are_texts(found, names):
    """Whether what is there of these members is text: a typed client fails on anything else."""
    return all(isinstance(found[name], str) for name in names if name in found)


def is_box(west, north, east, south, longitude, latitude):
    return west <= longitude <= east and south <= latitude <= north


def traccar(asking, position, city, state):
    latitude, longitude = (f"{value:f}" for value in position)
    place = asking.get(f"/nominatim/reverse?format=json&lat={latitude}&lon={longitude}&zoom=18&addressdetails=1&accept-language=en")
    found = place["address"]
    settlement = found.get("village") or found.get("town") or found.get("city")
    asking.check(settlement == city and found["state"] == state and found["country_code"] == "us", f"Nominatim names {city}", found)
    asking.check(isinstance(place["display_name"], str) and are_texts(
        found, ("house_number", "road", "suburb", "village", "town", "city", "state_district", "region", "state", "postcode")),
        "Nominatim's members are texts", place)
    found = asking.get(f"/photon/reverse?lat={latitude}&lon={longitude}&lang=en")["features"][0]["properties"]
    asking.check(found["city"] == city and found["state"] == state and found["countrycode"] == "US", f"Photon names {city}", found)
    asking.check(are_texts(found, ("housenumber", "street", "city", "district", "state", "postcode")), "Photon's members are texts", found)


def dawarich(asking, position, city, _):
    agent = {"User-Agent": "Dawarich 1.0.0 (https://dawarich.app)"}
    answer = asking.get(f"/photon/reverse?lang=en&lat={position[0]}&lon={position[1]}", agent)
    asking.check(answer["type"] == "FeatureCollection", "an answer is a collection", answer)
    found = answer["features"][0]["properties"]
    asking.check(found["city"] == city and found["country"] == "United States", f"a point lies in {city}", found)
    # The places around a visit, of which it keeps every one.
    answer = asking.get(f"/photon/reverse?distance_sort=true&lang=en&lat={position[0]}&limit=10&lon={position[1]}&radius=1", agent)
    for feature in answer["features"]:
        found, point = feature["properties"], feature["geometry"]["coordinates"]
        asking.check(are_texts(found, ("name", "osm_value", "city", "country", "street", "postcode")) and found.get("name")
                     and len(point) == 2, "a place nearby", feature)


def geopulse(asking, position, city, _):
    latitude, longitude = position
    language = {"Accept-Language": "en-US", "X-Api-Key": "", "Accept": "application/json"}
    where = f"lon={longitude}&lat={latitude}"
    feature = asking.get(f"/photon/reverse?{where}", language)["features"][0]
    found, point = feature["properties"], feature["geometry"]["coordinates"]
    asking.check(found.get("city") == city and found["country"] == "United States", f"Photon names {city}", found)
    asking.check(len(point) == 2 and is_box(*found["extent"], *point), "Photon's extent is west, north, east, south", found)
    found = asking.get(f"/photon/api?q={city}&limit=5&lat={latitude}&lon={longitude}&zoom=12&lang=en", language)["features"]
    asking.check(1 <= len(found) <= 5 and found[0]["properties"]["name"] == city, f"Photon finds {city}", found[:1])
    place = asking.get(f"/nominatim/reverse?format=json&{where}", language)
    found = place["address"]
    asking.check((found.get("city") or found.get("town")) == city and found["country"] == "United States", f"Nominatim names {city}", found)
    typed(asking, place)
    places = asking.get(f"/nominatim/search?format=json&q={city}&limit=5&addressdetails=1&viewbox={longitude - 1},{latitude + 1},"
                        f"{longitude + 1},{latitude - 1}&bounded=0", language)
    asking.check(1 <= len(places) <= 5 and places[0]["name"] == city, f"Nominatim finds {city}", places[:1])
    for place in places:
        typed(asking, place)


def typed(asking, place):
    """What a client in Java reads into members with types."""
    south, north, west, east = map(float, place["boundingbox"])
    asking.check(isinstance(place["lat"], str) and isinstance(place["lon"], str) and isinstance(place["place_rank"], int)
                 and 0 <= place["place_id"] < 2**31 and is_box(west, north, east, south, float(place["lon"]), float(place["lat"]))
                 and are_texts(place, ("licence", "type", "display_name", "osm_type", "name", "addresstype")),
                 "Nominatim's members have their types", place)


def leaflet(asking, position, city, state):
    text, where = f"{city},%20{state}", f"lat={position[0]}&lon={position[1]}"
    for place in (asking.get(f"/nominatim/search?q={text}&limit=5&format=json&addressdetails=1", BROWSER)[0],
                  asking.get(f"/nominatim/reverse?{where}&zoom=12&addressdetails=1&format=json", BROWSER)):
        asking.check(asking.allowed == "*" and city in place["display_name"] and place["address"]["state"] == state
                     and float(place["lat"]) and len(place["boundingbox"]) == 4, f"Nominatim has {city}", place)
    for path in (f"/photon/api/?q={text}", f"/photon/reverse/?{where}"):
        feature = asking.get(path, BROWSER)["features"][0]
        found = feature["properties"]
        asking.check(asking.allowed == "*" and city in (found["name"], found.get("city")) and is_box(
            *found["extent"], *feature["geometry"]["coordinates"]), f"{path} has {city}", feature)
    for path in (f"/pelias/v1/search?api_key=undefined&text={text}", f"/pelias/v1/autocomplete?api_key=undefined&text={text}",
                 f"/pelias/v1/reverse?api_key=undefined&point.lat={position[0]}&point.lon={position[1]}"):
        feature = asking.get(path, BROWSER)["features"][0]
        asking.check(asking.allowed == "*" and city in feature["properties"]["label"] and feature["geometry"]["type"] == "Point",
                     f"{path} has {city}", feature)


def nowhere(here, address):
    """At sea each of them shows no address, and none fails."""
    where = f"lat={SEA[0]}&lon={SEA[1]}"
    asking = Asking(here, address, "at sea")
    asking.check("address" not in asking.get(f"/nominatim/reverse?format=json&{where}&zoom=18&addressdetails=1"), "Nominatim has no address")
    asking.check(asking.get(f"/photon/reverse?{where}&lang=en")["features"] == [], "Photon has no feature")
