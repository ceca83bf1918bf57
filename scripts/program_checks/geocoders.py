"""The interfaces of other geocoders, asked by their clients: geopy's Nominatim, Photon and Pelias."""
import urllib.parse

from program_checks.folder import status_of
from program_checks.parts import part
from program_checks.prepared import GEOPY

# What is typed, what is found first, and where, in degrees.
FORWARD = [
    ("Atlanta, Georgia", "Atlanta", 33.749, -84.388), ("Mound Bayou MS", "Mound Bayou", 33.878, -90.727),
    ("Paris, TX", "Paris", 33.661, -95.556), ("München", "Munich", 48.137, 11.575), ("Harlem, New York", "Harlem", 40.81, -73.945),
]
# A position, and what its address must hold.
REVERSE = [
    ((33.7557, -84.375), ["Sweet Auburn", "Atlanta", "Fulton County", "Georgia", "United States"]),
    ((48.8597, -113.4360), ["Glacier County", "Montana"]), ((36.1627, -95.9862), ["Greenwood", "Tulsa", "Oklahoma"]),
    ((52.52, 13.405), ["Berlin", "Germany"]),
]
SEA = (-40.0, -120.0)


@part(GEOPY)
def geocoder_clients(here):
    """Asks for places with the clients of other geocoders."""
    with here.serving("--database", "places.db", "--rate-limit", "0") as (address, _):
        compare(address, here.module(GEOPY, "geopy.geocoders"), here.check)
        for path in ["/nominatim/search?format=xml&q=Atlanta", "/nominatim/status", "/photon/status", "/nominatim/lookup?osm_ids=N1"]:
            here.check(status_of(address + path) == 200, path)


def is_near(place, latitude, longitude):
    return place is not None and abs(place.latitude - latitude) < 0.05 and abs(place.longitude - longitude) < 0.05


def compare(address, geocoders, check):
    host = urllib.parse.urlsplit(address).netloc
    nominatim = geocoders.Nominatim(domain=host + "/nominatim", scheme="http", user_agent="check-program")
    photon = geocoders.Photon(domain=host + "/photon", scheme="http", user_agent="check-program")
    pelias = geocoders.Pelias(host + "/pelias", scheme="http", user_agent="check-program")
    for text, name, latitude, longitude in FORWARD:
        for client in (nominatim, photon, pelias):
            place = client.geocode(text)
            kind = type(client).__name__
            check(is_near(place, latitude, longitude) and name in place.address, f"geopy {kind} finds {text}", place)
            several = client.geocode(text, exactly_one=False)
            check(several and several[0].address == place.address, f"geopy {kind} finds {text} among several", several)
    for position, names in REVERSE:
        for client in (nominatim, photon, pelias):
            place = client.reverse(position)
            told = place and str(place.raw)
            missing = [name for name in names if not told or name not in told]
            check(not missing, f"geopy {type(client).__name__} names {position}", (missing, told))
    for client in (nominatim, photon):
        check(client.reverse(SEA) is None, f"geopy {type(client).__name__} finds no address at sea")
        check(client.geocode("qwxzzy blorp") is None, f"geopy {type(client).__name__} finds no nonsense")
    place = nominatim.geocode({"city": "Tulsa", "state": "Oklahoma"}, addressdetails=True, extratags=True, namedetails=True)
    check(place.raw["address"]["state"] == "Oklahoma" and place.raw["extratags"] and place.raw["namedetails"],
          "geopy Nominatim reads an address in parts", place.raw)
    limited = nominatim.geocode("Springfield", exactly_one=False, limit=3, country_codes="us", viewbox=[(36, -97), (39, -89)],
                                bounded=True)
    check(limited and len(limited) <= 3 and all(36 <= p.latitude <= 39 for p in limited), "geopy Nominatim keeps to a box", limited)
    near = photon.geocode("Springfield", location_bias=(44.05, -123.02), exactly_one=False)
    check(near and is_near(near[0], 44.05, -123.02), "geopy Photon prefers what is near", near and near[:2])
