import Formats

/// Small traces of our own making, one for each format.
enum TraceFixtures {
    static let gpx11 = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- A walk with a gap -->
        <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"
             xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
          <metadata><name>Harbour &amp; hill</name><author><name>Nobody</name></author>
            <time>2026-11-21T12:00:00Z</time></metadata>
          <wpt lat="10.5" lon="20.5"><time>2026-11-21T12:30:00Z</time><name>Quay</name>
            <desc><![CDATA[stone <b>quay</b>]]></desc></wpt>
          <wpt lat="x" lon="20.5"><name>Nowhere</name></wpt>
          <rte><name>Plan</name><rtept lat="1" lon="2"><name>Start</name></rtept><rtept lat="1.5" lon="2"/></rte>
          <trk><name>Morning</name>
            <trkseg>
              <trkpt lat="33.75" lon="-84.37"><ele>310</ele><time>2026-11-21T13:00:00Z</time><hdop>1.2</hdop>
                <extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>90</gpxtpx:hr><gpxtpx:speed>1.3</gpxtpx:speed>
                  <gpxtpx:course>90</gpxtpx:course></gpxtpx:TrackPointExtension></extensions></trkpt>
              <trkpt lat="33.7501" lon="-84.3701"><time>2026-11-21T14:00:05.250+01:00</time>
                <extensions><accuracy>12</accuracy><undeclared:speed>2</undeclared:speed></extensions></trkpt>
            </trkseg>
            <trkseg/>
            <trkseg>
              <trkpt lat="33.7502" lon="-84.3702"><time>2026-11-21T13:00:05</time></trkpt>
              <trkpt lat="33.7503" lon="-84.3703"/>
            </trkseg>
          </trk>
        </gpx>
        """

    static let gpx10 = """
        <?xml version='1.0'?>
        <gpx version="1.0" creator="test" xmlns="http://www.topografix.com/GPX/1/0">
          <name>Old style</name>
          <trk><trkseg>
            <trkpt lat="-33.5" lon="151.25"><time>2009-06-01T00:00:00Z</time><course>271.5</course>
              <speed>4.5</speed><hdop>2</hdop></trkpt>
            <trkpt lat="-33.5001" lon="151.2501"><time>2009-06-01T00:00:10Z</time><course>-1</course>
              <speed>-1</speed><hdop>0</hdop></trkpt>
          </trkseg></trk>
        </gpx>
        """

    static let googleRecords = """
        {"locations":[{"latitudeE7":337554000,"longitudeE7":-843736000,"accuracy":20,"velocity":3,"heading":90,
        "deviceTag":12,"timestamp":"2020-05-01T12:00:00.500Z"},
        {"latitudeE7":337555000,"longitudeE7":3451231296,"accuracy":0,"timestampMs":"1588334405500"},
        {"timestamp":"2020-05-01T12:00:10Z"}]}
        """

    static let googleTimeline = """
        {"semanticSegments":[{"startTime":"2024-11-21T06:00:00.000-05:00","timelinePath":[
        {"point":"1.0°, 2.0°","time":"2024-11-21T06:10:00.000-05:00"}]}],
        "rawSignals":[{"position":{"LatLng":"33.7554°, -84.3736°","accuracyMeters":13,"source":"WIFI",
        "timestamp":"2024-11-21T06:20:00.000-05:00","speedMetersPerSecond":1.5}},{"wifiScan":{}},
        {"position":{"LatLng":"nowhere","timestamp":"soon"}}]}
        """

    static let googlePhone = """
        [{"startTime":"2024-11-21T06:00:00.000-05:00","endTime":"2024-11-21T08:00:00.000-05:00","timelinePath":[
        {"point":"geo:33.7554,-84.3736","durationMinutesOffsetFromStartTime":"20"}]},
        {"visit":{"topCandidate":{"placeLocation":"geo:1,2"}}},
        {"startTime":"2024-11-21T09:00:00.000-05:00","timelinePath":[{"point":"geo:33.8,-84.4"}]}]
        """

    static let tcx = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
          <Activities><Activity Sport="Running"><Id>2026-11-21T13:00:00Z</Id>
            <Lap StartTime="2026-11-21T13:00:00Z"><TotalTimeSeconds>10</TotalTimeSeconds><Track>
              <Trackpoint><Time>2026-11-21T13:00:00.000Z</Time><Position><LatitudeDegrees>33.75</LatitudeDegrees>
                <LongitudeDegrees>-84.37</LongitudeDegrees></Position><AltitudeMeters>310</AltitudeMeters>
                <Extensions><ns3:TPX><ns3:Speed>2.5</ns3:Speed></ns3:TPX></Extensions></Trackpoint>
              <Trackpoint><Time>2026-11-21T13:00:01.000Z</Time></Trackpoint>
            </Track></Lap>
            <Lap StartTime="2026-11-21T13:05:00Z"><Track>
              <Trackpoint><Time>2026-11-21T13:05:00.000Z</Time><Position><LatitudeDegrees>33.76</LatitudeDegrees>
                <LongitudeDegrees>-84.38</LongitudeDegrees></Position></Trackpoint>
            </Track></Lap>
          </Activity></Activities>
          <Courses><Course><Name>Loop</Name><CoursePoint><Name>Turn</Name><Time>2026-11-21T13:00:00Z</Time>
            <Position><LatitudeDegrees>33.7</LatitudeDegrees><LongitudeDegrees>-84.3</LongitudeDegrees></Position>
            <Notes>left</Notes></CoursePoint></Course></Courses>
        </TrainingCenterDatabase>
        """

    static let lines = """
        {"type":"FeatureCollection","features":[
          {"type":"Feature","properties":{"name":"Two parts","coordTimes":
             [["2026-11-21T13:00:00Z","2026-11-21T13:00:05Z"],["2026-11-21T14:00:00Z"]],
             "coordinateProperties":{"accuracies":[[5,0],[7]],"speeds":[[1.5,null],[2]]}},
           "geometry":{"type":"MultiLineString","coordinates":[[[-84.37,33.75,310],[-84.3701,33.7501]],[[-84.36,33.76]]]}},
          {"type":"Feature","properties":{"name":"Corner","desc":"a mark"},
           "geometry":{"type":"Point","coordinates":[-84.3,33.7]}}]}
        """

    static let line = """
        {"type":"Feature","properties":{"coordinateProperties":{"times":[1795266000000,"2026-11-21T13:00:01Z",null]}},
         "geometry":{"type":"LineString","coordinates":[[-84.37,33.75],[-84.3701,33.7501],[-84.3702,33.7502]]}}
        """

    static let points = """
        {"type":"FeatureCollection","features":[
          {"type":"Feature","geometry":{"type":"Point","coordinates":[-84.37,33.75]},
           "properties":{"timestamp":"2026-11-21T08:00:00-0500","speed":4,"course":360,"horizontal_accuracy":30,
                         "device_id":"phone"}},
          {"type":"Feature","geometry":{"type":"Point","coordinates":[-84.3701,33.7501]},
           "properties":{"time":1795266001,"speed":-1}},
          {"type":"Feature","geometry":null,"properties":{}}]}
        """

    static let csv = """
        Time,LAT,Lng,acc,speed_kmh,heading,received,device,segment,note
        2026-11-21T13:00:00Z,33.75,-84.37,12,36,90,2026-11-21T13:02:00Z,"phone ""A"", old",1,x
        2026-11-21 13:00:05,33.7501,-84.3701,0,,,,,1,
        1795266010,33.7502,-84.3702,,,,,,2,
        1795266015000,,,,,,,,2,no position
        soon,33.7503,-84.3703,12,fast,,,,2
        """

    static let semicolons =
        "\u{FEFF}latitude;longitude;timestamp;accuracy\r\n33,75;-84,37;2026-11-21T13:00:00Z;4,5\r\n"

    static let nmea = """
        $GPRMC,235958.50,A,3345.0000,N,08422.2000,W,10.0,90.0,311226,,,A*4B
        $GPGGA,235958.50,3345.0000,N,08422.2000,W,1,08,1.2,310.0,M,0.0,M,,*4D
        $GPGSV,1,1,00*79
        $GPRMC,235959,V,,,,,,,311226,,,N*57
        $GNGGA,000001,3345.0600,N,08422.2000,W,1,08,0.8,310.0,M,0.0,M,,*74
        $GNGST,000001,1.0,,,,3.0,4.0,5.0*4B
        $GPRMC,000002,A,3345.0600,N,08422.2000,W,0.0,,010127,,,A*00
        """

    static let all: [(name: String, text: String)] = [
        ("gpx11.gpx", gpx11), ("gpx10.gpx", gpx10), ("laps.tcx", tcx), ("lines.geojson", lines), ("line.json", line),
        ("points.geojson", points), ("table.csv", csv), ("semicolons.csv", semicolons), ("log.nmea", nmea),
        ("Records.json", googleRecords), ("Timeline.json", googleTimeline), ("location-history.json", googlePhone),
    ]

    static func read(_ text: String, _ name: String = "trace") throws -> Trace {
        try TraceReader.read(Array(text.utf8), fileName: name)
    }
}
